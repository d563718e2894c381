"""Texts of the index, compressed: most are short and alike, so they are compressed against what they have in common."""

# ruff: noqa: E501
from __future__ import annotations

import zlib

#: What facts, cards and documents often hold. A change here makes a new index necessary, as any change of this folder.
_COMMON = (
    b"Permission denied No such file or directory Connection refused object has no attribute unexpected keyword argument "
    b"cannot import name No module named out of memory not found failed with exit status returned non-zero invalid "
    b"expected got must be is not supported INFO DEBUG WARNING ERROR CRITICAL "
    b"Exception: KeyError: TypeError: OSError: ImportError: IndexError: AssertionError: FileNotFoundError: "
    b"ModuleNotFoundError: AttributeError: ValueError: RuntimeError: "
    b"/usr/lib/python3/dist-packages/ /opt/venv/lib/python3.12/site-packages/ torch/ vllm/ __init__.py "
    b'Traceback (most recent call last):\\n  File \\"/srv/app/main.py\\", line 12, in main\\n    return self.run(value)\\n'
    b'Traceback (most recent call last):\n  File "/srv/app/main.py", line 12, in <module>\n    raise RuntimeError('
    b'"function":"main","line":{"file":"/srv/","function":"__init__","line":'
    b'{"words":"'
    b'","role":"root","seen":1,"last_seen":"2026-01-01T10:00:00Z","sessions":["2026-'
    b'"],"fixes":[{"slug":"'
    b'","title":"'
    b'","kind":"patch","fixed":0,"progressed":1,"failed":0,"unverified":0,"lower_bound":0.20654931437723745,'
    b'"applies":"","sessions":["'
    b'"],"ended_by":["'
    b'"],"ended_after":1}],"next":[{"id":"kb1-'
    b'","after":"'
    b'","title":"","sessions":1}],"causes":[],"context":"",'
    b'{"id":"2026-","title":"","path":"sessions/2026-'
    b'.md","started":"2026-01-01T10:00:00Z","ended":"2026-'
    b'","resolution":'
    b'"fixed","components":{"python":"3.12.1"},"environment":{"os":"Debian 12"},"tags":["'
    b'"],"summary":"'
    b'","attempts":["start the '
    b'"],"occurrences":[{"signature":0,"failure":{"kind":"exception","type":"RuntimeError","message":"'
    b'","line":12,"first_line":1,'
    b'"last_line":12,"text":"'
    b'","language":"python","process":"'
    b'","frames":[{"file":"/srv/'
    b'"],"reader":"python","complete":false,'
    b'"role":"root","because":["first in time"],"caused_by":0,"notes":["'
    b'"],"links":[{"relation":"cause","to":0}],"spans":[[1,'
    b'}],"reader":"python"},"attempt":1,"role":"root","primary":true,"excerpt":0,"decisive":12,"source":"server.log","source_line":12}],'
    b'"fixes":[{"slug":"'
    b'","kind":"config","title":"'
    b'","attempt":1,"target":"'
    b'.py","applies":">=","prose":"'
    b'","blocks":[["diff","'
    b"-    \\n+    "
    b'"]]}],"tries":[{"signature_id":"kb1-'
    b'","fix":"'
    b'","attempt":1,"outcome":"fixed","strength":"absent","because":'
    b'"attempt 2 no longer shows it, but another failure: '
    b"attempt 2 tried the same and ended with exit status 0; its output lacks the "
    b'failure","together":["'
    b'"],"next_id":"kb1-'
    b'"}],"attempt_seconds":[30.0,'
    b'],"text":"'
    b'","signatures":[{"id":"kb1-'
    b'","title":"'
    b'","type":"'
    b'","template":"'
    b'","segments":[{"text":"'
    b'"},{"text":"<num>","gap":"num"},{"text":"<path>","gap":"path"},{"text":"'
    b'"},{"text":"<value>","gap":"quoted"}],"pattern":"[0-9]+(?:\\\\.[0-9]+)*'
    b'","anchor":"'
    b'","context":"","variant":"'
    b" < "
    b'","parts":["'
    b'"],"reasons":[{"rule":"type","before":"'
    b'","after":"'
    b'"},{"rule":"mask number","before":"'
    b'"}]}],"excerpts":["'
)


#: The format looks back so far: what is common, this, and some of the text itself.
_MOST = 26_000


def squeeze(text: str, level: int = 6, *, beside: bytes = b"") -> bytes:
    """`text`, compressed; what it shares with `beside` takes next to no room."""
    packer = zlib.compressobj(level, zlib.DEFLATED, -15, 8, zlib.Z_DEFAULT_STRATEGY, _lining(beside))
    return packer.compress(text.encode("utf-8", "surrogatepass")) + packer.flush()


def unsqueeze(blob: bytes, *, beside: bytes = b"") -> str:
    """What `squeeze` compressed with the same `beside`. Raises zlib.error for most of anything else."""
    return unsqueezed(blob, beside=beside).decode("utf-8", "surrogatepass")


def unsqueezed(blob: bytes, *, beside: bytes = b"") -> bytes:
    """The same as bytes, to have other texts beside it."""
    return zlib.decompressobj(-15, _lining(beside)).decompress(blob)


def _lining(beside: bytes) -> bytes:
    return _COMMON + beside[-_MOST:] if beside else _COMMON
