"""`python -m kb` is the `kb` command."""

from kb.cli.main import run

if __name__ == "__main__":
    run()
