"""`python -m kb` is the `kb` command."""

from kb.cli.main import command

if __name__ == "__main__":
    command()
