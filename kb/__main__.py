"""`python -m kb` is the `kb` command."""

from kb.cli.main import entry

if __name__ == "__main__":
    entry()
