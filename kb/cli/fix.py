"""`kb fix`: name what was changed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli.session import add, is_asked, session_of, session_option
from kb.cli.terminal import note, one_line, say
from kb.errors import InputError, Location, RecordError, UsageError

if TYPE_CHECKING:
    from kb.capture.current import Current
    from kb.capture.fixing import Change
    from kb.record.model import Session

#: Options that say what was done, by the kind of fix they make: the language of their block.
_BLOCKS = {"command": "sh", "config": "text", "environment": "sh", "restart": "sh"}
_VERSIONS = ("upgrade", "downgrade")
_WORDS = ("hardware", "replace")


@click.command(short_help="Name the fix that was just made; its patch is taken from the working tree.")
@click.argument("words", nargs=-1, metavar="[NAME]...")
@click.option("-m", "--message", default="", metavar="TEXT", help="What it does, in a sentence.")
@click.option("--command", "command_", metavar="CMD", help="It was a command.")
@click.option("--config", metavar="TEXT", help="It was a setting, such as max_len=8192.")
@click.option("--environment", metavar="NAME=V", help="It was a variable or another thing around the program.")
@click.option("--upgrade", metavar="PKG==V", help="It was a newer version.")
@click.option("--downgrade", metavar="PKG==V", help="It was an older version.")
@click.option("--restart", metavar="CMD", help="It was a restart of something.")
@click.option("--hardware", metavar="TEXT", help="It was a part of a machine.")
@click.option("--replace", metavar="TEXT", help="Something else is used instead.")
@click.option("--patch", type=click.Path(allow_dash=True), metavar="FILE|-", help="A patch, instead of what changed.")
@click.option("--target", metavar="TEXT", help="The file, option or machine that was changed.")
@click.option("--applies", metavar="VERSIONS", help='The versions it is for, such as "vllm>=0.15,<0.16".')
@click.option("--attempt", type=click.IntRange(min=1), metavar="N", help="The attempt it answers (default: found out).")
@session_option
@click.pass_context
def command(ctx: click.Context, /, words: tuple[str, ...], named: str, attempt: int | None, **given: Any) -> None:
    """Name the fix that was just made; its patch is taken from the working tree.

    Without an option that says what was done, the patch is what changed in the files of the Git repository (or of this
    folder) since the attempt began; where no file changed, the commands that ended well since then. It can be named
    before the run that shows what it did, or after it. The same NAME in two sessions is the same fix: the ones known
    for this failure are shown, and without NAME listed. A sentence in quotes after NAME is its message.

    \b
    Examples:
      kb fix accept-decimal-comma
      kb fix "read the token id" -m "Take image_token_id for this class."
      kb fix newer-nccl --upgrade nvidia-nccl-cu12==2.22.3
      kb fix raise-shm --command "docker run --shm-size 8g app"

    Exit status: 0 written; 64 no session is open, no name was given, or nothing was changed; 65 the record has
    problems.
    """
    from kb.capture.writing import held

    current = session_of(ctx, named)
    session, problems, _ = held(current)
    if session is None:
        raise RecordError(problems)
    if attempt and attempt > len(session.attempts):
        raise UsageError(f"there is no attempt {attempt}", hint=f"the session has {len(session.attempts)}")
    name = " ".join(words).strip()
    if len(words) == 2 and " " in words[1] and " " not in words[0] and not given["message"]:
        name, given["message"] = words  # else the sentence would be a part of the slug
    name_fix(current, session, name, given, attempt or 0)


def name_fix(current: Current, session: Session, name: str, given: Mapping[str, Any], attempt: int = 0) -> None:
    """Write the fix called `name` into the record; `given` are the options of `kb fix`, those left out are None."""
    from kb.capture.entry import Entry
    from kb.capture.fixing import change_in
    from kb.cli.known import known_fixes, near

    fixes = known_fixes(current.home, session)
    slug, said = _name(name, fixes)
    change = change_in(current, session, attempt)
    values = _values(change, given)
    values["prose"] = given.get("message") or values.get("prose") or said
    _written(current, Entry(steps=(_fix(slug, values, given),), to=change.attempt), change, values)
    if other := near(slug, fixes):
        note(f"this failure has a known fix {other}; if it is the same, `kb edit` and give this one that name")


def _name(text: str, fixes: Any) -> tuple[str, str]:
    """The slug of the fix, and the words it was made of when these say more."""
    from kb.capture.names import slug_of
    from kb.cli.known import listed

    if not text:
        if is_asked():
            for line in listed(fixes):
                say(f"  {line}")
            text = click.prompt("Name of the fix", default=fixes[0].slug if fixes else None, err=True)
        else:
            known = "; known for this failure: " + ", ".join(fix.slug for fix in fixes) if fixes else ""
            raise UsageError("the fix has no name", hint=f"kb fix NAME{known}")
    slug = slug_of(text)
    if not slug:
        raise UsageError(f"{text!r} has no letter or digit", hint="such as accept-decimal-comma")
    return slug, "" if slug == text else text[0].upper() + text[1:].rstrip(".") + "."


def _values(change: Change, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the fix is: its kind, its blocks, its target and its words, as given or as found."""
    if given.get("patch"):
        text = _read(given["patch"])
        return {"kind": "patch", "blocks": [{"language": "diff", "body": text}]}
    kinds = [kind for kind in ("command_", *_BLOCKS, *_VERSIONS, *_WORDS) if given.get(kind)]
    if len(kinds) > 1:
        raise UsageError(
            "a fix is of one kind", hint="name two fixes: " + ", ".join(f"--{k.rstrip('_')}" for k in kinds)
        )
    if kinds:
        return _stated(kinds[0].rstrip("_"), given[kinds[0]])
    if change.patch.text:
        files = change.patch.files
        target = files[0] if len(files) == 1 else None
        return {"kind": "patch", "target": target, "blocks": [{"language": "diff", "body": change.patch.text}]}
    if change.commands:
        return {"kind": "command", "blocks": [{"language": "sh", "body": "".join(f"{c}\n" for c in change.commands)}]}
    hint = "say what was done: --command, --config, --upgrade PKG==V, --patch FILE and others (kb fix --help)"
    raise UsageError("no file changed since the attempt began, and no command was run", hint=hint)


def _stated(kind: str, text: str) -> dict[str, Any]:
    if kind in _BLOCKS:
        return {"kind": kind, "blocks": [{"language": _BLOCKS[kind], "body": text.rstrip("\n") + "\n"}]}
    if kind in _WORDS:
        return {"kind": kind, "prose": text}
    package, equal, version = text.partition("==")
    if not equal or not package.strip() or not version.strip():
        raise UsageError(f"--{kind} {text}: no version", hint=f"such as --{kind} torch==2.6.0")
    return {
        "kind": kind,
        "target": package.strip(),
        "prose": f"{kind.capitalize()} {package.strip()} to {version.strip()}.",
    }


def _fix(slug: str, values: dict[str, Any], given: Mapping[str, Any]) -> Any:
    from kb.record.model import Fix
    from kb.record.values import read_applies

    applies = given.get("applies")
    if applies:
        try:
            read_applies(applies)
        except ValueError as error:
            raise UsageError(f"--applies {applies}: write {error}") from error
    return Fix.model_validate(
        {**values, "slug": slug, "applies": applies, "target": given.get("target") or values.get("target")}
    )


def _written(current: Current, entry: Any, change: Change, values: dict[str, Any]) -> None:
    from kb.capture.snapshot import after_fix

    done = add(current, entry, f"fix {entry.steps[0].slug}")
    if change.after is not None and change.attempt:
        after_fix(current, change.attempt, change.after)
    if values["kind"] == "patch" and not done.waits:
        body = values["blocks"][0]["body"]
        plus = sum(line.startswith("+") and not line.startswith("+++") for line in body.splitlines())
        minus = sum(line.startswith("-") and not line.startswith("---") for line in body.splitlines())
        say(f"  {one_line(', '.join(change.patch.files[:4]) or 'patch')}: +{plus} -{minus}")
    elif values["kind"] == "command" and not done.waits:
        say(f"  {one_line(values['blocks'][0]['body'])}")


def _read(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text("utf-8", "replace")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", location=Location(name)) from error
