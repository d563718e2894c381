"""The tables of the index, and what an index must have been made by to be usable."""

from __future__ import annotations

import zlib
from pathlib import Path

from kb import __version__
from kb.shipped import code_of
from kb.signature import algorithm as versions

#: Raised when the tables change, or what lies in them.
SCHEMA = 17

_DECIDING = ("record", "failures", "signature", "knowledge", "index")


def algorithm() -> str:
    """Which signatures this kb makes: an index of another algorithm cannot answer its questions."""
    return versions.CURRENT.version


def layout() -> str:
    """What the tables of this kb look like, and which kb fills them.

    Between two releases the tables may change more often than `SCHEMA` does, so the number is followed by a checksum of
    their text and of what else it takes to read a card. Another release may find other failures in the same records:
    asked with its signatures, an index of this one would call known failures new.
    """
    from kb.index.card import Card, CardFix  # only what opens or makes an index asks for this
    from kb.index.squeeze import COMMON, OF_CARDS

    said = " ".join((__version__, TABLES, INDEXES, *Card._fields, *CardFix._fields))
    return f"{SCHEMA}-{zlib.crc32(said.encode() + COMMON + OF_CARDS):08x}"


def made_by(decisions: Path | None = None) -> str:
    """The code and the data tables that decide what an index holds: facts made by others are derived again.

    So is all when the files of former ids in the folder `decisions` change.
    """
    import hashlib  # loads OpenSSL; only what writes an index asks for this

    digest = hashlib.sha256(f"{__version__} {algorithm()} {SCHEMA} {code_of(*_DECIDING)}".encode())
    for path in sorted(decisions.glob("former-ids-*.txt")) if decisions else ():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def said(type_: str, template: str) -> int:
    """What signatures of one type and template are filed under."""
    return zlib.crc32(f"{type_}\0{template}".encode("utf-8", "replace"))


TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Facts and cards are compressed (kb.index.press).

-- One row a session record or a decision; problems is a JSON list. Of the rows with one session, one counts: the others
-- are duplicates. signed are the ids that the rules gave to its failures, decided is a hash of the decisions that were
-- applied to them. Whether the records are still those that were indexed is asked on every call, so rows are small.
CREATE TABLE file (
    number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime INTEGER NOT NULL,
    sha256 BLOB NOT NULL, session TEXT, started TEXT NOT NULL, counts INTEGER NOT NULL, problems TEXT NOT NULL,
    signed TEXT NOT NULL, decided TEXT NOT NULL
);
CREATE INDEX file_session ON file (session);
CREATE INDEX file_problem ON file (path) WHERE problems != '[]';
CREATE INDEX file_twin ON file (path) WHERE session IS NOT NULL AND counts = 0;

-- What was read of a file, by its number, no row when nothing could be, with the texts of documents that lie beside it
-- (kb.index.facts); and what the facts and the cards of a large knowledge base have in common (kb.index.press).
CREATE TABLE dictionary (kind TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE facts (file INTEGER PRIMARY KEY, facts BLOB NOT NULL);

-- Ids that signatures went by before, or that were merged into others, and the ids that they go by now; others are the
-- further ids that the failures of an old id have now.
CREATE TABLE alias (id TEXT PRIMARY KEY, current TEXT NOT NULL, others TEXT NOT NULL) WITHOUT ROWID;

-- said is a hash of type and template; filed is the word that the anchor is filed under, NULL when it has none; all
-- else is in the card. The anchor is nearly always a part of "type: template": then only its place is stored
-- (kb.index.signatures), from which `known` gives it. Numbers are for the tables below. Of a merged signature each
-- further type, template and pattern is a row of its own; its id is then the signature's, a slash, and the id that the
-- rules gave.
CREATE TABLE signature (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, type TEXT NOT NULL, template TEXT NOT NULL, anchored BLOB NOT NULL,
    said INTEGER NOT NULL, filed TEXT, card BLOB NOT NULL
);
CREATE VIEW known AS SELECT number, id, type, template, CASE typeof(anchored)
    WHEN 'integer' THEN substr(type || ': ' || template, anchored >> 16, anchored & 65535) ELSE anchored
END AS anchor, said, filed, card FROM signature;

-- Which signatures occur in the sessions that count, and which fixes were made there (helped: one did what it should).
CREATE TABLE seen (signature INTEGER NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (signature, file)) WITHOUT ROWID;
CREATE TABLE made (
    fix TEXT NOT NULL, file INTEGER NOT NULL, helped INTEGER NOT NULL, PRIMARY KEY (fix, file)
) WITHOUT ROWID;
-- In how many of these sessions a component (folded, as facets are) had a version.
CREATE TABLE had (
    component TEXT NOT NULL, version TEXT NOT NULL, sessions INTEGER NOT NULL, PRIMARY KEY (component, version)
) WITHOUT ROWID;

-- The words of signatures, and the rarest word of each anchor ("" when it has none that is safe). The numbers of a word
-- lie in blocks, so that one more signature changes little; kb.index.postings says how.
CREATE TABLE posting (
    word TEXT NOT NULL, block INTEGER NOT NULL, numbers BLOB NOT NULL, PRIMARY KEY (word, block)
) WITHOUT ROWID;
CREATE TABLE anchor (
    word TEXT NOT NULL, block INTEGER NOT NULL, numbers BLOB NOT NULL, PRIMARY KEY (word, block)
) WITHOUT ROWID;

-- Full text: one row a signature, fix or session; text begins with a made-up word for each property that a search can
-- be narrowed by, parts holds the pieces of camelCase words. kind is a place in kb.index.facets.KINDS, last is the day
-- of the newest evidence (20260131). What a document holds is kept beside the facts of `file`: titles of what belongs
-- to it (they take part in the full text's title), its made-up words, its text. Of the full text, the first column
-- takes the least room.
CREATE TABLE doc (
    number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, name TEXT NOT NULL, title TEXT NOT NULL, proven INTEGER NOT NULL,
    last INTEGER NOT NULL, seen INTEGER NOT NULL, file INTEGER NOT NULL
);
CREATE VIRTUAL TABLE doc_text USING fts5(
    text, title, parts, content='', detail=full, columnsize=0, tokenize='unicode61'
);
CREATE VIRTUAL TABLE doc_word USING fts5vocab(doc_text, row);

-- Words of the full text with the number of documents that hold each, and the runs of three characters of those that a
-- person may type: for parts of words and mistyped ones. Others are here only when many documents hold them
-- (kb.index.vocabulary).
CREATE TABLE word (number INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, docs INTEGER NOT NULL);
CREATE VIRTUAL TABLE word_gram USING fts5(word, content='', detail=none, columnsize=0, tokenize='trigram');
CREATE VIRTUAL TABLE gram USING fts5vocab(word_gram, row);
"""

#: Made when the tables are full, which is quicker.
INDEXES = """
CREATE UNIQUE INDEX signature_id ON signature (id);
CREATE INDEX doc_name ON doc (name);
CREATE INDEX signature_said ON signature (said);
CREATE INDEX signature_merged ON signature (id) WHERE instr(id, '/') > 0;
"""
