"""`kb rules`: signatures as triage rules for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.cli.output import print_json
from kb.cli.terminal import note, one_line, paint, say, wrap
from kb.cli.where import chosen_home, ready_store

if TYPE_CHECKING:
    from kb.rules.drafts import Draft
    from kb.rules.model import Exported, RuleSet, TriageRule

_LISTED = 20
ROLES = ("root", "cascade", "wrapper", "teardown")


@click.group(name="rules", short_help="Write signatures as triage rules for other tools.")
def command() -> None:
    """Write signatures as triage rules for other tools.

    Each signature that earns it becomes one rule: it matches all evidence of its signature, no other failure, no
    healthy log, and reads alike in every engine.

    \b
    Examples:
      kb rules targets
      kb rules check
      kb rules export patterns --output rules/
      kb rules export prometheus --component vllm --output rules/
      kb rules export jsonl --output rules/ --check     (in CI: is it current?)
    """


@command.command(short_help="List what kb can write rules for.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def targets(as_json: bool) -> None:
    """List what kb can write rules for: the target, what loads it, and which tool proves it in kb's own tests.

    \b
    Examples:
      kb rules targets
      kb rules targets --json
    """
    from kb.rules.exporters.registry import EXPORTERS, exporter

    known = [exporter(name) for name in EXPORTERS]
    if as_json:
        print_json([{"name": one.NAME, "about": one.ABOUT, "load": one.LOAD, "proved_by": one.PROVED} for one in known])
        return
    for one in known:
        for line in wrap(one.ABOUT, indent=" " * 18, first=f"{one.NAME:<16}  "):
            say(line)
        for line in wrap(f"proved by: {one.PROVED}", indent=" " * 18):
            say(paint(line, dim=True))


@command.command(short_help="Say which signatures make rules, and why the others do not.")
@click.option("--healthy", multiple=True, type=click.Path(exists=True, path_type=Path), metavar="PATH",
              help="A healthy log, or a folder of them, that no rule may match (repeatable).")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_context
def check(ctx: click.Context, healthy: tuple[Path, ...], as_json: bool) -> None:
    """Say which signatures make rules, and why the others do not.

    \b
    Examples:
      kb rules check
      kb rules check --healthy logs/green/

    Exit status: 0 every root signature that leaves a line has a rule; 1 some have none.
    """
    rules = _rules(ctx, healthy)
    if as_json:
        print_json(
            {
                "rules": [rule.id for rule in rules.rules],
                "refused": [{"id": r.id, "title": r.title, "code": r.code, "reason": r.reason} for r in rules.refused],
            }
        )
    else:
        for refusal in rules.refused:
            say(f"{paint(refusal.id, bold=True)}  {one_line(refusal.title)}")
            for line in wrap(f"{refusal.code}: {one_line(refusal.reason)}", indent="    "):
                say(line)
        made, left = len(rules.rules), len(rules.refused)
        say(f"{made} signature{'s make rules' if made != 1 else ' makes a rule'}, {left} do{'es' * (left == 1)} not")
    ctx.exit(1 if any(refusal.code != "declared" for refusal in rules.refused) else 0)


@command.command(short_help="Write the rules for a target.")
@click.argument("target")
@click.option("--output", "-o", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="The folder to write; without it a target of one file is printed.")  # fmt: skip
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; exit 1 when the files in DIR are not current."
)
@click.option("--component", "components", multiple=True, metavar="NAME", help="Only rules of this component.")
@click.option("--tag", "tags", multiple=True, help="Only rules whose sessions have this tag.")
@click.option("--id", "ids", multiple=True, metavar="ID", help="Only this signature.")
@click.option("--role", "roles", multiple=True, type=click.Choice(ROLES), help="Also symptoms (default: root).")
@click.option("--min-evidence", default=1, show_default=True, type=click.IntRange(1), metavar="N",
              help="Only signatures that N sessions saw.")  # fmt: skip
@click.option("--healthy", multiple=True, type=click.Path(exists=True, path_type=Path), metavar="PATH",
              help="A healthy log, or a folder of them, that no rule may match.")  # fmt: skip
@click.option("--drafts", multiple=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="Imported rules to write as well (repeatable).")  # fmt: skip
@click.pass_context
def export(
    ctx: click.Context,
    target: str,
    output: Path | None,
    only_check: bool,
    components: tuple[str, ...],
    tags: tuple[str, ...],
    ids: tuple[str, ...],
    roles: tuple[str, ...],
    min_evidence: int,
    healthy: tuple[Path, ...],
    drafts: tuple[Path, ...],
) -> None:
    """Write the rules for a target, one of `kb rules targets`.

    The same knowledge gives the same bytes, so the files can be committed, and `--check` in CI says whether they are
    current.

    \b
    Examples:
      kb rules export patterns --output rules/
      kb rules export jsonl --component vllm --min-evidence 2 --output rules/
      kb rules export patterns --output rules/ --check

    Exit status: 0 done or current; 1 not current; 64 no such target; 74 DIR cannot be written.
    """
    from kb.rules.choice import Choice, chosen
    from kb.rules.exporters.registry import exporter

    writer = exporter(target)
    rules = _rules(ctx, healthy)
    choice = Choice(components, tags, ids, roles or ("root",), min_evidence)
    some = sorted([*chosen(rules, choice), *_drafts(drafts)], key=lambda rule: rule.id)
    files = writer.export(some, chosen_home(ctx).name)
    left = [one for one in rules.refused if not ids or one.id in ids]
    if output is None:
        if only_check or len(files) != 1:
            raise click.UsageError(f"{target} is {len(files)} files; name a folder with --output DIR", ctx)
        click.echo(files[0].text, nl=False)
    elif only_check:
        ctx.exit(_stale(files, output, _former(target, files, output)))
    else:
        _write(files, output)
        for path in _former(target, files, output):
            path.unlink()
            note(f"{path}: removed, it is of no rule any more")
        for file in files:
            say(str(output / file.path))
    written = f"{len(some)} rule{'s' * (len(some) != 1)}"
    others = f"{len(left)} signature{'s make' if len(left) != 1 else ' makes'} none"
    note(f"{written}; {others} (`kb rules check` says why)")


@command.command(name="import", short_help="Take over the rules of another tool as drafts.")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--format", "form", help="The format, when kb does not recognise it.")
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Where the drafts go (default: drafts/<name>.jsonl in the knowledge base).")  # fmt: skip
@click.pass_context
def take(ctx: click.Context, files: tuple[Path, ...], form: str | None, output: Path | None) -> None:
    """Take over the rules of another tool as drafts, which `kb rules export --drafts FILE` writes for others.

    Reads PyTorch test-infra, elastic-recheck, Jenkins Build Failure Analyzer, node-problem-detector, GitHub problem
    matchers, Sigma, and rules in the manner of thefuck. A rule that has no portable form is named with the reason.

    \b
    Examples:
      kb rules import ruleset.toml
      kb rules import queries/*.yaml --output drafts/recheck.jsonl
      kb rules export github --drafts drafts/ruleset.jsonl --output rules/

    Exit status: 0 all rules were taken; 1 some were left; 64 an unknown format; 66 a file cannot be read.
    """
    from kb.atomic import write_text
    from kb.failures.lines import decode
    from kb.rules.drafts import dump
    from kb.rules.importers.registry import importer, importer_of

    if form:
        importer(form)
    target = output or chosen_home(ctx).root / "drafts" / f"{files[0].stem}.jsonl"
    drafts: list[Draft] = []
    left = 0
    for file in files:
        text = decode(file.read_bytes())
        found = (importer(form) if form else importer_of(str(file), text)).read(file.name, text)
        drafts += found.drafts
        left += len(found.left)
        for one in found.left:
            note(one_line(f"{file}:{one.line}: {one.name} is left out: {one.reason}"))
    target.parent.mkdir(parents=True, exist_ok=True)
    write_text(target, dump(tuple(drafts)))
    say(f"{target}: {len(drafts)} drafts; {left} rules left out")
    ctx.exit(1 if left else 0)


def _drafts(paths: tuple[Path, ...]) -> list[TriageRule]:
    from kb.rules.check import explosive
    from kb.rules.drafts import as_rule, load

    rules = {}
    for path in paths:
        for draft in load(path):
            if (rule := as_rule(draft)) is None:
                note(one_line(f"{draft.name}: no text in it is long enough to look for; left out"))
            elif steep := explosive(rule.pieces):
                note(one_line(f"{draft.name} is left out: {steep}"))
            else:
                rules[rule.id] = rule
    return list(rules.values())


def _rules(ctx: click.Context, healthy: tuple[Path, ...]) -> RuleSet:
    from kb.rules import healthy as healthy_logs
    from kb.rules.check import check as checked
    from kb.rules.derive import candidates

    home = chosen_home(ctx)
    with ready_store(home) as store:
        knowledge = store.knowledge()
    lines = [*healthy_logs.shipped(), *healthy_logs.read(healthy)]
    return checked(candidates(knowledge, base_url=home.site_url), lines)


def _write(files: tuple[Exported, ...], output: Path) -> None:
    from kb.atomic import write_text

    for file in files:
        path = output / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, file.text)


def _former(target: str, files: tuple[Exported, ...], output: Path) -> list[Path]:
    """The files in `output` that a former export of `target` wrote and this one does not."""
    from kb.rules.exporters.registry import OWN_FILES

    current = {output / file.path for file in files}
    own = OWN_FILES.get(target)
    return sorted(path for path in output.glob(own) if path not in current) if own else []


def _stale(files: tuple[Exported, ...], output: Path, former: list[Path]) -> int:
    """1 when a file is missing, differs or is of no rule any more, with a line for each; else 0."""
    stale = 0
    for path in former:
        note(f"{path}: of no rule any more; run the same without --check")
        stale = 1
    for file in files:
        path = output / file.path
        if not path.is_file() or path.read_bytes() != file.text.encode():
            note(f"{path}: {'not current' if path.exists() else 'missing'}; run the same without --check")
            stale = 1
    return stale
