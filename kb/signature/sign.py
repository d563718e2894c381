"""A failure's signature."""

from __future__ import annotations

import base64

from kb.failures.model import Failure, Frame
from kb.signature import algorithm
from kb.signature.frames import own_frames
from kb.signature.model import Segment, Signature
from kb.signature.pattern import SHORTEST_ANCHOR, anchor, escape, render
from kb.signature.rules import Draft, apply_rules, label

# As the standard library's `random` does: hashlib loads all of OpenSSL, and start-up counts.
try:
    from _sha2 import sha256
except ImportError:
    try:
        from _sha256 import sha256  # its name before Python 3.12
    except ImportError:
        from hashlib import sha256

_TITLE = 160
#: Languages that print a report's message before its frames.
_FRAMES_AFTER = frozenset(
    {"java", "javascript", "go", "rust", "dotnet", "ruby", "php", "elixir", "erlang", "perl", "r", "julia"}
)


def signature_id(parts: tuple[str, ...]) -> str:
    """The version, as `kb1-`, and 10 base32 characters of SHA-256 over the parts."""
    version = algorithm.CURRENT.version
    digest = sha256("\x1f".join((version, *parts)).encode("utf-8", "replace")).digest()
    return f"{version}-{base64.b32encode(digest).decode()[:10].lower()}"


def sign(failure: Failure) -> Signature:
    """The signature of `failure`: pure, and stable under prefixes, colours, redaction and line numbers."""
    draft = apply_rules(failure, algorithm.CURRENT.rules)
    template = draft.said
    parts = (draft.said_type, template, *draft.functions)
    segments = _rule_segments(draft)
    found = anchor(segments)
    context = _context(draft) if draft.generic or failure.kind in ("crash", "kernel") else ""
    specific = len(found) >= SHORTEST_ANCHOR and (not draft.generic or bool(context))
    own = own_frames(failure)
    return Signature(
        id=signature_id(parts),
        title=_title(draft, template),
        type=draft.said_type,
        template=template,
        segments=segments,
        pattern=render(segments) if specific else "",
        anchor=found if specific else "",
        context=context if specific else "",
        variant=" < ".join(tuple(dict.fromkeys(map(_whole_name, (*_checked(failure), *own))))[:3]),
        parts=parts,
        reasons=draft.reasons,
    )


def sign_declared(slug: str, observed: str) -> Signature:
    """The signature of a declared failure: its slug is its identity, and no line of a log can match it."""
    title = slug.replace("-", " ").strip().capitalize()
    return Signature(
        id=signature_id(("declared", slug)),
        title=f"{title} ({observed})"[:_TITLE] if observed else title,
        type="declared",
        template=slug,
        segments=(),
        pattern="",
        anchor="",
        parts=("declared", slug),
    )


def _rule_segments(draft: Draft) -> tuple[Segment, ...]:
    """The decisive line as a log shows it: with its type in front where it has one there."""
    if not draft.with_type:
        return draft.segments
    if not draft.segments:
        return (Segment(draft.type),)
    head = f"{draft.type}: "
    if draft.segments[0].gap:
        return (Segment(head), *draft.segments)
    return (Segment(head + draft.segments[0].text), *draft.segments[1:])


def _context(draft: Draft) -> str:
    """A pattern for the frame line that must stand shortly before: ` in function`; "" where frames stand after."""
    if draft.failure.language in _FRAMES_AFTER:
        return ""
    name = draft.functions[0] if draft.functions else ""
    return f" in {escape(name)}" if name.isidentifier() and len(name) > 2 else ""


def _checked(failure: Failure) -> tuple[Frame, ...]:
    """The place of a check that failed, where a program ends itself: the log names its file, and no function."""
    here = failure.frames[-1:]
    return here if failure.kind == "panic" and here and here[0].line and not here[0].function else ()


def _whole_name(frame: Frame) -> str:
    """What a frame is called in a variant: its function with class or package, or the file's own name."""
    return frame.function.rsplit("/", 1)[-1] if frame.function not in ("", "<module>") else label(frame)


def _title(draft: Draft, template: str) -> str:
    if draft.failure.kind == "exit":
        return f"{draft.failure.message}: {draft.type}"
    if not template:
        where = f" in {draft.functions[0]}" if draft.functions else ""
        return f"{draft.type or 'a cut traceback'}{where}"
    untyped = draft.failure.kind in ("error-line", "death", "device-assert") or template.startswith(draft.type)
    title = template if untyped else f"{draft.type}: {template}"
    for placeholder in ("<name>", "<num>", "<path>", "<value>", "<id>", "<size>", "<hex>", "<url>", "<time>", "<nums>"):
        title = title.replace(placeholder, "…")
    return title if len(title) <= _TITLE else title[: _TITLE - 1].rstrip() + "…"
