"""Frames of native code as sanitizers, gdb, systemd and glibc print them, and the names of functions in them."""

from __future__ import annotations

import re

from kb.failures.model import Frame
from kb.failures.streams import Stream

_CLONE = re.compile(
    r"(?:\.(?:part|constprop|isra|cold|llvm|lto_priv|localalias)(?:\.\d{1,20})?| \[clone [^\]\n]{1,60}\]){1,8}$"
)
#: The parameters of a function that a lambda or a local class stands in: `Log::Flush(int)::$_0::`.
_INSIDE = re.compile(r"\([\w\s:,*&<>]{0,500}\)(?: const)?::")
_NUMBERED = re.compile(r"\s*#(?P<depth>\d{1,4})(?:\.\d{1,4})?\s+(?:0x[0-9a-fA-F]{1,16} (?:in |<)?)?(?P<rest>\S.*)$")
_VALGRIND = re.compile(r"(?:==\d{1,9}==)?\s{2,8}(?P<word>at|by) 0x[0-9A-Fa-f]{1,16}: (?P<rest>\S.*)$")
#: The stack that a program on Windows prints of itself: function, address with offset, place.
_BRACKETED = re.compile(
    r"\s{1,8}(?P<function>\S.{0,2000}?) \[0x[0-9A-Fa-f]{1,16}\+\d{1,12}\]"
    r"(?: \((?P<file>[^()\n]{1,500}):(?P<line>\d{1,9})\))?$"
)
#: And on macOS: depth, library, address, symbol, offset.
_LISTED = re.compile(
    r"\s{0,8}(?P<depth>\d{1,4}) {1,4}(?P<file>\S.{0,100}?) {2,60}0x[0-9a-f]{8,16} "
    r"(?P<function>\S.{0,4000}?) \+ \d{1,12}$"
)
#: As glibc's `backtrace_symbols` writes them: library, symbol with offset, address.
_SYMBOLS = re.compile(
    r"\s{0,8}(?P<file>(?:[./]|[\w.-]{1,100}\()[^\s()]{0,1000}?)"
    r"\((?P<function>[^\n]{0,4000}?)(?:\+0x[0-9a-f]{1,16})?\) ?\[0x[0-9a-f]{1,16}\]$"
)
#: What libFuzzer writes while it works begins like a frame: `#2\tINITED cov: 5 ft: 5 corp: 1/1b exec/s: 0`.
_PROGRESS = re.compile(r"\s*#\d{1,20}\s+[A-Za-z]{3,10}\s+(?:cov|ft|corp): ")
_MANGLED = re.compile(r"_{1,2}ZN[KV]{0,2}(?P<names>(?:\d{1,3}\w{0,200}|[CD][0-9]E?|L)+)")
_LENGTH = re.compile(r"L?(?P<length>\d{1,3})")
_PLACE = re.compile(r"(?P<file>[^\s:()]{1,1000}|[A-Za-z]:[^\s:()]{1,1000})(?::(?P<line>\d{1,9}))?(?::\d{1,9})?$")
_LONGEST_STACK = 200
_OFFSET = re.compile(r"\+0x[0-9a-fA-F]{1,16}$| \+ 0x[0-9a-fA-F]{1,16}$")
#: The module in angle brackets that may stand last: `<libc.so>+0x975fe`.
_MODULE = re.compile(r" <{1,2}[^<>\s]{0,200}>{1,2}\+0x[0-9a-f]{1,16}$")

#: Unknown names, linkage stubs, and what stands above every program's and thread's first function.
_NAMELESS = re.compile(
    r"\?\?|n/a|<null>|\S*plt_call\S*|\S*@plt|_start|__libc_start\w*|start_thread|_*clone3?|"
    r"BaseThreadInitThunk|RtlUserThreadStart|in|\[vdso\]|"
    r"0x[0-9a-fA-F]{1,16}|\d{1,20}|<?unknown(?: module)?>|\((?!anonymous).*|"
    r"\S*\.so(?:\.\d{1,4}){0,4}|\S*\+0x[0-9a-fA-F]{1,16}\)?"
)


def bare_name(function: str) -> str:
    """`function` without return type, parameters, template arguments and compiler's clone suffixes.

    `std::vector<int, A>::at(unsigned long) const` gives `std::vector::at`; operators keep their name.
    """
    name = _CLONE.sub("", function.strip()[:1000])
    if "operator" in name:
        head, word, tail = name.partition("operator")
        head = _INSIDE.sub("::", head)
        symbol = tail[:2] if tail.startswith("()") else tail.partition("(")[0]
        prefix = _flat(head).rpartition(" ")[2]
        # Within a lambda, only the function that it stands in has a name.
        between = "::" if prefix and not prefix.endswith("::") else ""
        return f"{prefix}{between}{word}{symbol}".strip()
    flat = _flat(name).strip()
    return flat.rpartition(" ")[2].lstrip("*&.") or flat


def _flat(text: str) -> str:
    """`text` up to its parameter list, without what stands in angle brackets."""
    out: list[str] = []
    depth = 0
    for index, char in enumerate(text):
        if char == "<":
            depth += 1
        elif char == ">" and depth and text[index - 1] != "-":
            depth -= 1
        elif depth:
            continue
        elif char == "(":
            if text.startswith("(anonymous namespace)", index) or text.startswith("(anonymous)", index):
                out.append("{")
                continue
            if out and out[-1] != "{":
                break
        elif char == ")" and "{" in out:
            while out.pop() != "{":
                pass
            continue
        else:
            out.append(char)
    joined = "".join(out).replace("::::", "::")
    return joined.removeprefix("::")


def numbered_frame(text: str) -> tuple[int, Frame] | None:
    """The depth and frame of a `#3 0x… in f (…) at file:line` or `#3 0x… in f file:line:column (module)` line."""
    match = _NUMBERED.match(text) if "#" in text[:40] else None
    if match is None or len(text) > 8000 or _PROGRESS.match(text):
        return None
    return int(match["depth"]), _frame(match["rest"])


def self_printed_frame(text: str) -> tuple[int, Frame] | None:
    """The depth and frame of a line of the stack that a program on Windows or macOS prints of itself."""
    if len(text) > 8000 or "0x" not in text:
        return None
    if (match := _BRACKETED.match(text)) is not None:
        return 0, Frame(match["file"] or "", bare_name(match["function"]), int(match["line"] or 0))
    if (match := _SYMBOLS.match(text)) is not None:
        return 0, _placed(demangled(match["function"]), match["file"])
    if (match := _LISTED.match(text)) is not None:
        frame = _placed(demangled(match["function"]), "")
        return int(match["depth"]), frame._replace(file=match["file"])
    return None


def demangled(symbol: str) -> str:
    """The nested name in a C++ symbol, `ui::Curve::at` of `_ZN2ui5Curve2atEv`; another symbol as it is."""
    match = _MANGLED.match(symbol)
    if match is None:
        return symbol
    rest, names = match["names"], list[str]()
    while (length := _LENGTH.match(rest)) is not None:
        end = length.end() + int(length["length"])
        names.append(rest[length.end() : end])
        rest = rest[end:]
    if names and rest[:1] in ("C", "D") and rest[1:2].isdigit():
        names.append(names[-1] if rest[0] == "C" else f"~{names[-1]}")
    return "::".join(names) or symbol


def stack_below(lines: Stream, index: int, near: int) -> tuple[Frame, ...]:
    """The first numbered stack that begins within `near` lines below `index`, outermost first; () when none does.

    One of addresses alone is passed over where another one follows: a program that has no symbols at hand prints
    addresses, and a sanitizer or a symboliser the same once more.
    """
    bare: list[Frame] = []
    frames: list[Frame] = []
    last = lines[index].number + near
    for line in lines[index + 1 : index + near + 2 * _LONGEST_STACK]:
        frame = numbered_frame(line.text) or self_printed_frame(line.text)
        if frame is not None and (frames or frame[0] == 0):
            frames.append(frame[1])
        elif frames and (bare or _names_half(frames)):
            break
        elif frames:
            bare, frames, last = frames, [], line.number + near
        elif line.number > last:
            break
    return tuple(reversed(frames if _names_half(frames) or not bare else bare))


def _names_half(frames: list[Frame]) -> bool:
    return 2 * sum(1 for frame in frames if frame.function) >= len(frames) > 0


def valgrind_frame(text: str) -> tuple[str, Frame] | None:
    """`at` or `by`, and the frame of one line of valgrind's stacks."""
    match = _VALGRIND.match(text) if "0x" in text[:40] else None
    if match is None or len(text) > 8000:
        return None
    name, _, place = match["rest"].rpartition(" (")
    return match["word"], _placed(name or match["rest"], place.rstrip(")").removeprefix("in "))


def _frame(rest: str) -> Frame:
    rest = _MODULE.sub("", rest) if rest[-1:].isalnum() and ">+0x" in rest else rest
    if " at " in rest and (split := rest.rpartition(" at ")) and _PLACE.match(split[2]):
        return _placed(split[0], split[2])
    if " from " in rest:
        name, _, module = rest.rpartition(" from ")
        return _placed(name, module)
    # A module and a build id may follow the place, in brackets: `f file.c:9:3 (prog+0x12) (BuildId: …)`.
    while rest.endswith(")") and (start := rest.rfind(" (")) > 0:
        inside = rest[start + 2 : -1]
        before = rest[:start]
        if inside.startswith("BuildId:") or (
            _OFFSET.search(inside) and _PLACE.match(before.rpartition(" ")[2]) and ":" in before
        ):
            rest = before
        elif _OFFSET.search(inside):
            return _placed(before, _OFFSET.sub("", inside))
        else:
            break
    name, _, place = rest.rpartition(" ")
    if name and _PLACE.match(place) and (":" in place or "/" in place):
        return _placed(name, place)
    return _placed(rest, "")


def _placed(name: str, place: str) -> Frame:
    match = _PLACE.match(place.strip())
    file = match["file"] if match else place.strip()
    line = int(match["line"]) if match and match["line"] else 0
    function = bare_name(name)
    nameless = _NAMELESS.fullmatch(function) is not None or _NAMELESS.fullmatch(name.strip()) is not None
    return Frame(file, "" if nameless else function, line)
