"""Texts of the index, compressed: most are short and alike, so they are compressed against what they have in common."""

# ruff: noqa: E501
from __future__ import annotations

import zlib

#: The format looks back 32 KiB: at what is common, at this much beside it, and at some of the text itself.
_MOST = 16_000

#: What cards often hold, where the index has not learned it from its own (kb.index.press).
OF_CARDS = (
    b"[0-9]+(?:\\\\.[0-9]+)*0x[0-9A-Fa-f]+[^ ]*.*"
    b'","causes":[],"root",1,"2026-01-01T10:00:00Z",["2026-01-01-'
    b'",[["'
    b'","patch",1,0,0,1,0.0,"",["2026-01-01-","config",1,0,0,0,0.20654931437723745,"",["2026-01-01-'
    b'"],[],0,"exit-0",[],"2026-01-01T12:00:00Z",{"python":["3.12.1"],"'
    b'":["1.'
    b'"]},""]],[["kb1-","'
    b'",1]],"root",2,"2026-01-02T10:00:00Z",["2026-01-02-'
    b'"],[],"",false,30.0,1]'
)

#: What facts and the documents beside them often hold. A change here makes a new index necessary, as any change of this folder.
COMMON = (
    b"Permission denied No such file or directory Connection refused object has no attribute unexpected keyword argument "
    b"cannot import name No module named out of memory not found failed with exit status returned non-zero invalid "
    b"expected got must be is not supported INFO DEBUG WARNING ERROR CRITICAL "
    b"Exception: KeyError: TypeError: OSError: ImportError: IndexError: AssertionError: FileNotFoundError: "
    b"ModuleNotFoundError: AttributeError: ValueError: RuntimeError: "
    b"/usr/lib/python3/dist-packages/ /opt/venv/lib/python3.12/site-packages/ torch/ vllm/ __init__.py "
    b'Traceback (most recent call last):\\n  File \\"/srv/app/main.py\\", line 12, in main\\n    return self.run(value)\\n'
    b'Traceback (most recent call last):\n  File "/srv/app/main.py", line 12, in <module>\n    raise RuntimeError('
    b'[["/srv/app/main.py","main",12,""],["/usr/lib/python3/dist-packages/'
    b'","<module>",0,""]],[],[],null,'
    b'","'
    + b" ".join(
        b"\xee\x80\x80" + word  # kb.index.facets.MARK
        for word in (
            b"kind0fix kind0signature kind0session component0os with0osv12x component0python with0pythonv3x12x1x "
            b"tag0server resolution0open resolution0fixed has0dead-end has0fix has0next month0202512 month0202601"
        ).split()
    )
    + b'[["2026-01-01-","","sessions/2026-01-01-'
    b'.md","2026-01-01T10:00:00Z","2026-01-01T12:00:00Z","fixed",["'
    b'"],"'
    b'",["start the '
    b'"],[30.0,30.0,30.0]],{"python":"3.12.1","'
    b'"},{"os":"Debian 12"},[[0,0,["exception","RuntimeError","'
    b'",12,1,12,"RuntimeError: '
    b'","python",null,[["/srv/app/'
    b'.py","__init__",12,""],["'
    b'",0,""]],[],[["cause",0]],[],null,"python",true,"root",["first in time"],null,[]],1,"root",true,12,"",0],'
    b'[1,1,["exception","ValueError","'
    b'",""]],[],[],null,"python",true,"root",[],null,[]],2,"root",true,'
    b',"server.log",12]],[["'
    b'","patch","'
    b'",1,"'
    b'.py","","'
    b'",[["diff","-    \\n+    '
    b'\\n"]]],["'
    b'","config","'
    b'",2,"'
    b'",[]]],[["kb1-'
    b'","'
    b'",1,"progressed","absent","attempt 2 no longer shows it, but another failure: ",[],"kb1-'
    b'"],["kb1-'
    b'",2,"fixed","exit-0","attempt 3 tried the same and ended with exit status 0; its output lacks the failure",[],""]],'
    b'[["kb1-'
    b'","ModuleNotFoundError: No module named \'","ModuleNotFoundError","No module named \'",[["'
    b'","",""],["<num>","number"],["'
    b'","",""],["<path>","path"],["'
    b'","",""],["<hex>","hex"],["'
    b'","",""],["<value>","quoted"]],"'
    b'","","'
    b" < "
    b'",["ValueError","'
    b'"],[["mask posix-path","/","<path>"],["mask number","","<num>"]],""],["kb1-'
    b'"],[],""]],[1'
)


def squeeze(text: str, level: int = 6, *, common: bytes = OF_CARDS, beside: bytes = b"") -> bytes:
    """`text`, compressed; what it shares with `common` and `beside` takes next to no room."""
    packer = zlib.compressobj(level, zlib.DEFLATED, -15, 8, zlib.Z_DEFAULT_STRATEGY, common + beside[:_MOST])
    return packer.compress(text.encode("utf-8", "surrogatepass")) + packer.flush()


def unsqueeze(blob: bytes, *, common: bytes = OF_CARDS, beside: bytes = b"") -> str:
    """What `squeeze` compressed with the same `common` and `beside`. Raises zlib.error for most of anything else."""
    return zlib.decompressobj(-15, common + beside[:_MOST]).decompress(blob).decode("utf-8", "surrogatepass")
