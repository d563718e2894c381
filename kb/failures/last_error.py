"""The lines that PyTorch sets below the message of a failed NCCL call: NCCL's own code, and its last error.

They stand at the margin, so in a log without labels only their wording tells that they belong to the exception.
"""

from __future__ import annotations

from kb.expressions import late

_CALL = "NCCL error in: "
_CODE = late(r"nccl[A-Z][A-Za-z]{2,40}: ")
_HEAD = "Last error:"


def goes_on(before: str, text: str) -> bool:
    """Whether `text` is a further line of such a message, of which `before` is the line so far read last."""
    said = before.strip()
    if _CALL in said:
        return _CODE.match(text) is not None
    if _CODE.match(said):
        return text.strip() == _HEAD
    return said == _HEAD and bool(text.strip())
