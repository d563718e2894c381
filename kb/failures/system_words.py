"""Why a call of the system failed, as it is told in other languages than English: a table of the system's own words."""

from functools import cache
from pathlib import Path

from kb.failures.tables import rows

TABLE = Path(__file__).with_name("system_words.txt")

#: What may close the words: a full stop, and the quotes or brackets that a program sets round a message.
_CLOSING = " .。!\"')]»"


@cache
def _table() -> dict[str, str]:
    return {words: name for _, (name, words) in rows(TABLE, 2)}


def system_words(text: str) -> str:
    """The name of the reason that ends the line `text`, behind a colon; "" for none, and for one told in English."""
    if text.isascii():
        # Of most lines this is all that is looked at; a language written in plain letters needs one look more.
        last = text.rpartition(": ")[2]
    else:
        last = text.replace("\xa0", " ").replace("：", ": ").rpartition(": ")[2]
    return _table().get(last.lower().strip(_CLOSING), "") if len(last) < len(text) else ""
