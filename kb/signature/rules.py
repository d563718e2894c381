"""The rules that turn a failure into a signature, in the order in which they act.

Each rule is small, named, and explains itself: it takes a draft and returns the next one, and every change is kept with
the rule's name. A rule that has nothing to do returns the draft unchanged.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from kb.expressions import late
from kb.failures.lines import clean
from kb.failures.model import Failure, Frame
from kb.failures.tables import Choice, rows
from kb.signature.frames import own_frames
from kb.signature.masking import mask, shown
from kb.signature.model import Reason, Segment
from kb.signature.private import without_private
from kb.signature.wordings import reworded, without_hint

GENERIC = Path(__file__).with_name("generic.txt")
HEADLINES = Path(__file__).with_name("headlines.txt")


class Draft(NamedTuple):
    """A signature in the making.

    `line` is the decisive text before masking, `segments` after it; `with_type` says whether the type stands before it
    in the same line; `functions` are the names that take part in the identity; a `verbatim` line is not masked.
    `said_type` and `said` are the type and the template as the identity has them.
    """

    failure: Failure
    type: str
    line: str
    with_type: bool = True
    segments: tuple[Segment, ...] = ()
    functions: tuple[str, ...] = ()
    generic: bool = False
    owner: bool = False
    verbatim: bool = False
    said_type: str = ""
    said: str = ""
    reasons: tuple[Reason, ...] = ()

    def changed(self, rule: str, before: str, after: str, **values: object) -> "Draft":
        """The draft with `values` replaced, and the change noted under `rule`."""
        return self._replace(reasons=(*self.reasons, Reason(rule, before, after)), **values)  # type: ignore[arg-type]


Rule = Callable[[Draft], Draft]

#: Kinds of failure whose line begins with "type: " by their grammar; of the others the line itself is looked at.
_TYPED = frozenset({"exception", "test"})
_BUILTIN = frozenset(
    {
        "NoneType", "str", "int", "float", "bool", "bytes", "list", "dict", "tuple", "set", "frozenset", "function",
        "method", "module", "type", "object", "generator", "coroutine", "Tensor", "ndarray", "DataFrame", "Series",
        "builtin_function_or_method", "property", "range", "slice", "Namespace", "Parameter",
    }
)  # fmt: skip
_OBJECT = late(r"'(?P<name>[A-Za-z_][\w.]{0,200})' object (?=has no attribute|is not|does not)")
_CAMEL_TAIL = late(r"(?:[A-Z][a-z]+|[A-Z]+)$")
#: The end of a sentence, unless the next one says which error of the system it was.
_SENTENCE = late(r"[.!?;](?= +[A-Z\[(<`])(?! +(?:Got|OS|System) error\b)")
#: A compiler's message that quotes the source and says last what is wrong there.
_IN_SOURCE = late(r"at \d{1,6}:\d{1,6}:$")
#: The first of several possibilities: what is listed decides nothing, what announces the list does.
_FIRST_OF_LIST = late(r"\(?[1a][.)] ")
_ENOUGH = 30
#: The type of what the sanitizer of undefined behaviour reports.
_UNDEFINED = "runtime error"
_ARITY = late(r"/\d{1,3}$")
#: Languages whose types are named with their package, module or namespace, which moves and is not always printed.
_PACKAGED = frozenset({"python", "java", "dotnet", "php"})
#: Writers that put names in quotes, in the marks of the locale: compilers, linkers, build drivers, package managers.
_QUOTING = frozenset({"c", "c++", "cuda", "fortran", "make", "shell", "npm", "pip", "apt"})
_QUOTES = late(r"[`'‘’]")
_QUOTE = "’"
#: Two or more members of a set, a list or an enumeration, whose order may be that of their hashes.
_MEMBERS = late(
    r"(?<=[\[{(])'[^'\n]{0,200}'(?:, '[^'\n]{0,200}'){1,200}(?=[\]})])"
    r'|(?<=[\[{(])"[^"\n]{0,200}"(?:, "[^"\n]{0,200}"){1,200}(?=[\]})])'
    r"|(?<=: )[A-Za-z_][\w.-]{0,100}(?:, [A-Za-z_][\w.-]{0,100}){2,200}$"
)
_END_MARKS = " \t.,;:"
_HOST_TYPES = frozenset({"UnknownHostException", "NoRouteToHostException", "gaierror"})
_HOST = late(r"[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}(?=$|: )|<host:\d{1,4}>(?=$|: )")


@cache
def _generic() -> Choice:
    return Choice(GENERIC, [(number, cells[0]) for number, cells in rows(GENERIC, 1)])


@cache
def _headlines() -> Choice:
    return Choice(HEADLINES, [(number, cells[0]) for number, cells in rows(HEADLINES, 1)])


def type_name(draft: Draft) -> Draft:
    """The last component of the type: packages move, and `__main__.` comes and goes with the interpreter."""
    name = draft.type
    moves = draft.failure.language in _PACKAGED
    last = re.split(r"[.:/\\]+(?=\w)", name.split("(")[0])[-1] if moves else name
    if "(" in name and draft.failure.language == "python":
        last = f"{last}({name.split('(', 1)[1]}"
    return draft if last == name else draft.changed("type-name", name, last, type=last)


def decisive_line(draft: Draft) -> Draft:
    """The line of the message that decides: the first, unless it only announces the next."""
    lines = [line.strip() for line in draft.failure.message.split("\n")]
    first = lines[0]
    rest = [line for line in lines[1:] if line]
    if rest and _IN_SOURCE.match(first):
        return draft.changed("decisive-line", first, rest[-1], line=rest[-1], with_type=False)
    for index, line in enumerate(rest[:-1]):
        # NCCL's library error is one of six words; its last error says what happened.
        if line == "Last error:":
            return draft.changed("decisive-line", first, rest[index + 1], line=rest[index + 1], with_type=False)
    if rest and (not first or (_headlines().search(first) is not None and not _FIRST_OF_LIST.match(rest[0]))):
        return draft.changed("decisive-line", first, rest[0], line=rest[0], with_type=False)
    return draft._replace(line=first)


def asserted_source(draft: Draft) -> Draft:
    """An assertion is known by the source it asserts; that line does not begin with the type."""
    frames = draft.failure.frames
    if draft.failure.kind in ("device-assert", "assert"):
        return draft.changed("asserted-source", "", draft.line, with_type=False, verbatim=True)
    if draft.line and frames and draft.line == frames[-1].source and draft.failure.kind in ("exception", "test"):
        return draft.changed("asserted-source", "", draft.line, with_type=False, verbatim=True)
    return draft


def private_values(draft: Draft) -> Draft:
    """Secrets and personal values become placeholders, as redaction makes them: one failure, redacted or not.

    A line that was redacted stays as it is. The type stands before the line while it is looked at, as in the log.
    """
    head = f"{draft.failure.type}: " if draft.with_type else ""
    line = without_private(head + draft.line)
    line = without_private(line.removeprefix(head)) if line.startswith(head) else without_private(draft.line)
    return draft if line == draft.line else draft.changed("private-values", draft.line, line, line=line)


def hint(draft: Draft) -> Draft:
    """What follows is the advice of the program that reports (hints.txt): it changes with versions."""
    if draft.verbatim:
        return draft
    line = without_hint(draft.line)
    return draft if line == draft.line else draft.changed("hint", draft.line, line, line=line)


def bare_host(draft: Draft) -> Draft:
    """A message that begins with a host's name, as its type says."""
    match = _HOST.match(draft.line) if draft.type in _HOST_TYPES and not draft.verbatim else None
    if match is None:
        return draft
    line = f"<host:0>{draft.line[match.end() :]}"
    return draft.changed("bare-host", draft.line, line, line=line)


def name_quotes(draft: Draft) -> Draft:
    """Compilers and their kin quote names in the marks of the locale.

    The marks become one character that no mask takes for the quotes of data; `quote_gaps` turns them into gaps.
    """
    if draft.failure.language not in _QUOTING or draft.verbatim:
        return draft
    line = _QUOTES.sub(_QUOTE, draft.line)
    return draft if line == draft.line else draft.changed("name-quotes", draft.line, _shown_quotes(line), line=line)


def _shown_quotes(line: str) -> str:
    return line.replace(_QUOTE, "'")


def quote_gaps(draft: Draft) -> Draft:
    """Each quotation mark round a name is a gap that holds any of the marks in use."""
    if draft.failure.language not in _QUOTING or draft.verbatim:
        return draft
    segments: list[Segment] = []
    for segment in draft.segments:
        if segment.gap or _QUOTE not in segment.text:
            segments.append(segment)
            continue
        for index, part in enumerate(segment.text.split(_QUOTE)):
            if index:
                segments.append(Segment("'", "quote"))
            if part:
                segments.append(Segment(part))
    return draft._replace(segments=tuple(segments))


def masks(draft: Draft) -> Draft:
    """Variable parts become typed gaps (masks.txt); of a line of source only what was redacted is variable."""
    masked = mask(draft.line, only="redacted" if draft.verbatim else "")
    return draft._replace(segments=masked.segments, reasons=(*draft.reasons, *masked.reasons))


def first_sentence(draft: Draft) -> Draft:
    """Only the first sentence that says enough: advice after it changes with versions, and pastes are cut there.

    Lengths are counted after masking, so that the length of a masked value never moves the cut.
    """
    before = 0
    for index, segment in enumerate(draft.segments):
        if not segment.gap:
            for match in _SENTENCE.finditer(segment.text):
                if before + match.end() >= _ENOUGH:
                    kept = (*draft.segments[:index], Segment(segment.text[: match.end()]))
                    return draft.changed("first-sentence", shown(draft.segments), shown(kept), segments=kept)
        before += len(segment.text)
    return draft


def end_marks(draft: Draft) -> Draft:
    """Marks and spaces at the end say nothing, and come and go with what follows."""
    if draft.verbatim or not draft.segments or draft.segments[-1].gap:
        return draft
    text = draft.segments[-1].text.rstrip(_END_MARKS)
    segments = (*draft.segments[:-1], Segment(text)) if text else draft.segments[:-1]
    return draft._replace(segments=segments) if segments else draft


def member_order(draft: Draft) -> Draft:
    """Members of a set or of a list of names are sorted: they stand in the order of their hashes or of a folder."""
    if draft.verbatim:
        return draft
    segments: list[Segment] = []
    for segment in draft.segments:
        at = 0
        for match in _MEMBERS.finditer(segment.text) if not segment.gap else ():
            members = ", ".join(sorted(match[0].split(", ")))
            segments += [Segment(segment.text[at : match.start()]), Segment(members, "rest")]
            at = match.end()
        segments.append(segment._replace(text=segment.text[at:]))
    kept = tuple(segment for segment in segments if segment.text)
    if kept == draft.segments:
        return draft
    return draft.changed("member-order", shown(draft.segments), shown(kept), segments=kept)


def owner_class(draft: Draft) -> Draft:
    """`'X' object has no attribute 'y'`: y is the identity, X varies with the model; its last word is kept."""
    if draft.type not in ("AttributeError", "TypeError") or not draft.segments or draft.segments[0].gap:
        return draft
    head = draft.segments[0].text
    match = _OBJECT.match(head)
    if match is None or match["name"].rsplit(".", 1)[-1] in _BUILTIN:
        return draft
    name = match["name"]
    tail = _CAMEL_TAIL.search(name)
    kept = tail[0] if tail and tail.start() > 0 else ""
    segments = (Segment("'"), Segment("<name>", "name"), Segment(kept + head[match.end("name") :]), *draft.segments[1:])
    return draft.changed("owner-class", name, f"<name>{kept}", segments=segments, owner=True)


def wording(draft: Draft) -> Draft:
    """The identity is told in the newest words that any version has for this failure (wordings.txt)."""
    template = shown(draft.segments)
    said = reworded(draft.type, template)
    draft = draft._replace(said_type=said.type, said=said.template)
    before, after = f"{draft.type}: {template}", f"{said.type}: {said.template}"
    return draft.changed(f"wording {', '.join(said.names)}", before, after) if said.names else draft


def says_too_little(draft: Draft) -> Draft:
    """An empty or generic message cannot be told from another's: the nearest own functions will take part."""
    template = draft.said
    if draft.failure.kind not in ("exception", "error", "test", "crash", "panic", "build") or draft.generic:
        return draft
    if not template or _generic().fullmatch(template):
        return draft.changed("says-too-little", template, template, generic=True)
    return draft


def nearest_functions(draft: Draft) -> Draft:
    """The innermost own function joins a generic message or a masked owner; two join a crash or an empty message."""
    own = own_frames(draft.failure)
    wanted = 1 if draft.owner else 0
    if draft.generic:
        wanted = 1 if draft.said else 2
    if draft.failure.kind == "crash":
        wanted = 2
    if draft.failure.kind == "kernel":
        wanted = 1
    if draft.type == _UNDEFINED and draft.failure.frames:
        # A stack is printed on request only: the file is known either way.
        own = (draft.failure.frames[-1]._replace(function=""),)
    names = tuple(dict.fromkeys(label(f) for f in own))[:wanted]
    return draft.changed("nearest-functions", "", " < ".join(names), functions=names) if names else draft


def label(frame: Frame) -> str:
    """What a frame is called in an identity: its function, or the file's own name at module level."""
    if frame.function and frame.function != "<module>":
        # `Shop.Cart.handle_call/3`: callbacks have the same name everywhere, so the module stays.
        return frame.function if _ARITY.search(frame.function) else frame.function.rsplit(".", 1)[-1]
    return re.split(r"[/\\]", frame.file)[-1]


#: The rules in their order; `tests/signature` pins what each does.
RULES: tuple[Rule, ...] = (
    type_name,
    decisive_line,
    asserted_source,
    private_values,
    hint,
    bare_host,
    name_quotes,
    masks,
    quote_gaps,
    first_sentence,
    end_marks,
    member_order,
    owner_class,
    wording,
    says_too_little,
    nearest_functions,
)


def about(rule: str) -> str:
    """Why the rule that a `Reason` names is there, in a sentence; "" for a mask, whose name says it."""
    name = rule.split(" ", 1)[0].replace("-", "_")
    found = next((one for one in RULES if one.__name__ == name), None)
    return (found.__doc__ or "").split("\n", 1)[0] if found is not None else ""


def apply_rules(failure: Failure, rules: tuple[Rule, ...] = RULES) -> Draft:
    """The draft that all rules together make of `failure`."""
    head = f"{failure.type}: {failure.message[:20]}".split("\n", 1)[0]
    with_type = failure.kind in _TYPED or head in clean(failure.text)
    draft = Draft(failure, failure.type, failure.message, with_type=with_type)
    for rule in rules:
        draft = rule(draft)
    return draft
