"""`python -m kb` is the `kb` command."""

from kb.cli.start import entry

if __name__ == "__main__":
    entry()
