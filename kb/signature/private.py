"""A line without secrets and personal values: what a signature is made of is the same before and after redaction."""

from __future__ import annotations

from kb.expressions import late

#: What a line is looked at for at most, twice what masking looks at: a value may be longer than its placeholder.
LONGEST = 4000

_PLACEHOLDER = late(r"<(?:secret:[a-z0-9-]{1,40}|(?:email|user|host|ip):\d{1,9})>")
#: Of a secret and of a personal value alike: no number or kind of a placeholder may move what is cut by length.
_SETTLED = {"secret": "<secret:0>", "email": "<email:0>", "user": "<user:0>", "host": "<host:0>", "ip": "<ip:0>"}


def without_private(line: str) -> str:
    """`line` with each secret and each personal value replaced, all values of a kind alike.

    Linear in its length. Rules are compiled when a line first holds what they need, so most lines cost next to nothing.
    """
    from kb.private.suspects import suspects

    head, tail = line[:LONGEST], line[LONGEST:]
    plain = head.encode("utf-8", "surrogatepass")
    chosen = suspects(plain)
    if chosen:
        from kb.private.plain import Places
        from kb.private.spans import found, replaced

        done = replaced(
            Places(plain),
            list(found(plain, chosen)),
            lambda again: found(again, suspects(again)),
            lambda _, span: (_SETTLED[span.kind] if span.personal else _SETTLED["secret"]).encode(),
        )
        head = done.decode("utf-8", "replace")
    return _PLACEHOLDER.sub(lambda match: _SETTLED[match[0][1:].partition(":")[0]], head) + tail
