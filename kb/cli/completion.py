"""`kb completion`: the completion script for a shell."""

from __future__ import annotations

import click


@click.command(short_help="Print the completion script for a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    Completes commands, options, and the ids of signatures, sessions and fixes.

    \b
    Examples:
      kb completion bash > ~/.local/share/bash-completion/completions/kb
      kb completion zsh > ~/.zfunc/_kb
      kb completion fish > ~/.config/fish/completions/kb.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ctx.find_root().command, {}, "kb", "_KB_COMPLETE").source())
