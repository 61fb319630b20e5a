"""`deixis completion`: what a shell needs to complete commands, options and file names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from deixis.cli.session import Session, examples, session_options
from deixis.errors import ConfigError

VARIABLE = "_DEIXIS_COMPLETE"  # what a shell sets when it asks for completions


@click.command(
    epilog=examples(
        "deixis completion bash > ~/.local/share/bash-completion/completions/deixis",
        "deixis completion zsh >> ~/.zshrc",
        "deixis completion fish > ~/.config/fish/completions/deixis.fish",
    )
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@session_options()
def completion(session: Session, shell: str) -> None:
    """Print the script by which SHELL completes commands, options and file names with the Tab key."""
    root = click.get_current_context().find_root()
    kind = get_completion_class(shell)
    if kind is None:
        raise ConfigError(f"This click knows no completion for {shell}. Upgrade it: pip install -U click")
    click.echo(kind(root.command, {}, "deixis", VARIABLE).source())
