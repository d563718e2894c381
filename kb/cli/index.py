"""`kb index`: build or update the index from the session records."""

from __future__ import annotations

import click

from kb.cli.output import print_json
from kb.cli.terminal import Progress, note, one_line, say
from kb.cli.where import chosen_home


@click.command(short_help="Build or update the index from the session records.")
@click.option("--rebuild", is_flag=True, help="Forget the old index and derive everything again.")
@click.option("--reindex", is_flag=True, help="Derive everything again, and note what ids have become.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
@click.pass_context
def command(ctx: click.Context, rebuild: bool, reindex: bool, as_json: bool) -> None:
    """Build or update the index from the session records.

    The index is derived: deleting it loses nothing. Only records that changed are read again. A record with problems
    is indexed as far as it can be read; `kb check` names the problems.

    A new version of the rules gives signatures new ids. The old ones, read from the old index, are noted in
    decisions/former-ids-VERSION.txt, and lead to the new ones everywhere: keep those files with the sessions. --reindex
    notes ids that changed under the same version, too.

    \b
    Examples:
      kb index
      kb index --rebuild
      kb index --reindex

    Exit status: 0 built; 74 the index cannot be written.
    """
    from kb.index.build import build_index

    home = chosen_home(ctx)
    progress = Progress("reading records")
    try:
        built = build_index(home, rebuild=rebuild, reindex=reindex, progress=progress)
    finally:
        progress.close()
    for problem in built.problems:
        note(one_line(str(problem)))
    if as_json:
        print_json(
            {
                "sessions": built.sessions,
                "changed": built.changed,
                "removed": built.removed,
                "problems": len(built.problems),
                "former": built.former,
            }
        )
    else:
        records = f"{built.sessions} session{'' if built.sessions == 1 else 's'} in the index"
        if built.former:
            ids = f"{built.former} id{'' if built.former == 1 else 's'} changed"
            say(f"{ids}; the old ones lead to the new: {', '.join(built.noted) or 'noted before'}")
        say(f"{records}; read anew: {built.changed}, gone: {built.removed}")
