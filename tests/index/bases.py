"""Knowledge bases written to a folder, for the tests of the index."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from kb.home import Home, read_home
from kb.index.card import load_card
from kb.index.facts import read, read_texts
from kb.index.postings import unpack
from kb.index.press import common_of, press_of
from kb.knowledge.facts_json import dump as dump_facts

_FACTS = "SELECT path, facts FROM facts JOIN file ON number = file"
_DOCS = "SELECT doc.number, kind, name, path FROM doc JOIN file ON file.number = file"

RECORD = """\
---
kb: 1
id: {name}
title: {title}
started: 2026-01-{day:02}T10:00:00Z
ended: 2026-01-{day:02}T12:00:00Z
resolution: fixed
components: {{vllm: 0.15.{day}}}
tags: [server]
---

The server was to start.

## Attempt 1: start

```console {{exit=1 duration=30s}}
$ {command}
Traceback (most recent call last):
  File "/srv/app/{file}", line {line}, in {function}
    read()
{error}
```

### Fix: {fix} {{kind=patch{applies}}}

{prose}

## Attempt 2: start again

```console {{exit=0}}
$ {command}
ready
```
"""


def base(folder: Path) -> Home:
    """An empty knowledge base in `folder`."""
    (folder / "sessions").mkdir(parents=True, exist_ok=True)
    (folder / "kb.toml").write_text("")
    return read_home(folder)


def record(
    home: Home,
    name: str,
    error: str = "IndexError: list index out of range",
    *,
    day: int = 1,
    fix: str = "pad-the-list",
    applies: str = "",
    title: str = "The server does not start",
    command: str = "python serve.py",
    file: str = "serve.py",
    function: str = "load",
    line: int = 12,
    prose: str = "Pad the list.",
) -> Path:
    """A session in which a fix removes `error`."""
    path = home.sessions / f"{name}.md"
    shown = f' applies="{applies}"' if applies else ""
    text = RECORD.format(
        name=name,
        error=error,
        day=day,
        fix=fix,
        applies=shown,
        title=title,
        command=command,
        file=file,
        function=function,
        line=line,
        prose=prose,
    )
    path.write_text(text, "utf-8")
    return path


def dump(home: Home) -> dict[str, list[tuple[object, ...]]]:
    """What the index says, without the numbers that tie its tables together, which depend on what came when."""
    db = sqlite3.connect(home.index)
    queries = {
        "file": "SELECT path, size, sha256, session, started, counts, problems, signed, decided FROM file",
        "signature": "SELECT id, type, template, anchor, card FROM known",
        "seen": "SELECT id, path FROM seen JOIN signature ON signature.number = signature JOIN file ON file.number = file",
        "made": "SELECT fix, path, helped FROM made JOIN file ON number = file",
        "had": "SELECT * FROM had",
        "alias": "SELECT id, current FROM alias",
        "decisions": "SELECT value FROM meta WHERE key = 'decisions'",
        "doc": "SELECT kind, name, title, proven, last, seen, path FROM doc JOIN file ON file.number = file",
        "terms": "SELECT term, doc, cnt FROM doc_word",
        "words": "SELECT word, docs FROM word WHERE docs > 0",
    }
    said = {name: sorted(db.execute(query)) for name, query in queries.items()}
    common = common_of(db)
    said["signature"] = [(key, load_card(key, *rest, common=common)) for key, *rest in said["signature"]]
    ids = dict(db.execute("SELECT number, id FROM signature"))
    press = press_of(db)
    stored = {path: press.unpack(blob) for path, blob in db.execute(_FACTS)}
    said["facts"] = sorted((path, dump_facts(read(data))) for path, data in stored.items())
    docs = {number: rest for number, *rest in db.execute(_DOCS)}
    texts = [(*docs[number], path, text) for path, data in stored.items() for number, text in read_texts(data).items()]
    assert len(texts) == len(docs)
    said["text"] = sorted(texts)
    rows = db.execute("SELECT word, block, numbers FROM posting")
    said["posting"] = sorted((word, ids[number]) for word, block, blob in rows for number in unpack(block, blob))
    rows = db.execute("SELECT word, block, numbers FROM anchor")
    filed = sorted((ids[number], word) for word, block, blob in rows for number in unpack(block, blob))
    assert filed == sorted(db.execute("SELECT id, filed FROM signature WHERE filed IS NOT NULL"))
    said["filed"] = [(key,) for key, _ in filed]
    db.execute("INSERT INTO doc_text (doc_text) VALUES ('integrity-check')")
    db.close()
    return said
