"""Finding the one signature that was named on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.terminal import one_line
from kb.errors import UsageError

if TYPE_CHECKING:
    from kb.index.store import Store
    from kb.knowledge.model import SignatureKnowledge


def named_signature(store: Store, given: str) -> SignatureKnowledge:
    """The signature of an id, one that it went by before included, or of the beginning of one id only.

    Without an id, the error names the newest signatures.
    """
    if not given:
        named = "; ".join(f"{id_} ({one_line(title)[:60]})" for id_, title in store.newest())
        some = f"the newest are {named}; " if named else ""
        raise UsageError("the ID of a signature is missing", hint=f"{some}`kb search` finds signatures by any text")
    found = [full for kind, full in store.names(given) if kind == "signature"]
    names = sorted({store.current(full) for full in ([given] if given in found else found)})
    if len(names) > 1:
        raise UsageError(f"{len(names)} signatures begin with {given!r}", hint=f"for example {', '.join(names[:5])}")
    known = store.signature(names[0]) if names else None
    if known is None:
        raise UsageError(f"no signature is named {given!r}", hint="`kb search` finds signatures by any text")
    return known
