"""A page of the runbook as Markdown, made from its HTML: so it says the same, whatever templates say it.

Only elements become Markdown; every text is escaped, or stands in a fence or in a code span.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from kb.publish.plain_markdown import begun, code, fenced, within
from kb.runbook.visible import plain

#: Gives where a link leads in the Markdown, "" for nowhere.
Resolve = Callable[[str], str]

_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "rect", "wbr"})
_LEFT_OUT = frozenset({"svg", "figure", "script", "style", "button", "input", "template"})
_LEFT_OUT_CLASSES = frozenset({"headerlink", "kb-lang", "kb-filter", "kb-strip"})
_BLOCKS = frozenset({
    "address", "article", "blockquote", "details", "div", "dl", "figure", "h1", "h2", "h3", "h4", "hr", "li", "nav",
    "ol", "p", "pre", "section", "summary", "table", "ul",
})  # fmt: skip
#: Inline elements that a style shows on lines of their own, or set apart.
_APART = frozenset(
    {"kb-sub", "kb-because", "kb-where", "kb-card-side", "kb-card-fix", "kb-then", "kb-chip", "kb-bar", "kb-met"}
)
_LANGUAGES = {"kb-diff": "diff", "kb-cmd": "sh", "kb-source": ""}
_STRONG = {"b": "**", "strong": "**", "em": "*", "i": "*"}
_INDENT = "    "


@dataclass(slots=True)
class Element:
    """An element: its name, classes, where it links to, and what is in it."""

    name: str
    classes: frozenset[str] = frozenset()
    href: str = ""
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text in it."""
        return "".join(one if isinstance(one, str) else one.text for one in self.children)

    def all(self, *names: str) -> Iterator[Element]:
        """The elements of these names in it, none of which lies in another."""
        for one in self.children:
            if isinstance(one, Element):
                yield from [one] if one.name in names else one.all(*names)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("div")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        made = Element(tag, frozenset((given.get("class") or "").split()), given.get("href") or "")
        self._open[-1].children.append(made)
        if tag not in _VOID:
            self._open.append(made)

    def handle_endtag(self, tag: str) -> None:
        for place in range(len(self._open) - 1, 0, -1):
            if self._open[place].name == tag:
                del self._open[place:]
                return

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def markdown(body: str, resolve: Resolve) -> str:
    """The Markdown of a page's body; `resolve` says where its links lead."""
    reader = _Reader()
    reader.feed(body)
    reader.close()
    return "\n\n".join(_blocks(reader.root.children, resolve)) + "\n"


def _blocks(children: Iterable[Element | str], resolve: Resolve) -> Iterator[str]:
    """Each block; what stands between blocks becomes a paragraph."""
    line: list[Element | str] = []
    for one in (*children, Element("hr")):
        if isinstance(one, str) or one.name not in _BLOCKS:
            line.append(one)
            continue
        said = _line(line, resolve)
        if said:
            yield said
        line = []
        yield from _block(one, resolve)


def _block(one: Element, resolve: Resolve) -> Iterator[str]:
    if one.name in _LEFT_OUT or one.classes & _LEFT_OUT_CLASSES or one.name == "hr":
        return
    if one.name == "summary":
        yield f"### {_title(one)}"
    elif one.name in ("h1", "h2", "h3", "h4"):
        yield f"{'#' * int(one.name[1])} {_title(one)}"
    elif one.classes & {"kb-chips"}:
        yield " · ".join(filter(None, (_line([part], resolve) for part in one.children)))
    elif "highlight" in one.classes:
        yield _fence(one)
    elif one.name == "pre":
        yield fenced(one.text)
    elif one.name in ("ul", "ol"):
        yield "\n".join(_items(one, resolve))
    elif one.name == "dl":
        yield "\n".join(_facts(one, resolve))
    elif one.name == "table":
        yield "\n".join(_table(one, resolve))
    elif one.name == "blockquote":
        yield "\n".join(
            f"> {line}".rstrip() for block in _blocks(one.children, resolve) for line in (*block.split("\n"), "")
        )
    elif one.name == "p":
        said = _line(one.children, resolve)
        yield from [said] if said else []
    else:
        yield from _blocks(one.children, resolve)


def _title(one: Element) -> str:
    """The words of a heading, of which themes make titles by taking the escapes out again: angle brackets would be live
    there."""
    words = "".join(_words(one)).replace("<", "‹").replace(">", "›")
    return within(plain(words))


def _words(one: Element) -> Iterator[str]:
    for child in one.children:
        if isinstance(child, str):
            yield child
        elif not (child.name in _LEFT_OUT or child.classes & _LEFT_OUT_CLASSES):
            before = " · " if child.classes & _APART else " " if child.name == "span" else ""
            yield from (before, *_words(child), ". " if "kb-rank" in child.classes else before[:1])


def _fence(one: Element) -> str:
    """A log or code. In a log, the line that decides is marked."""
    language = next((_LANGUAGES[name] for name in sorted(one.classes) if name in _LANGUAGES), "text")
    code_ = next(one.all("pre"), one)
    if "kb-log" not in one.classes or not any("kb-l-root" in line.classes for line in _lines(code_)):
        return fenced(code_.text, language)
    marked = [
        ("> " if line and "kb-l-root" in line.classes else "  ") + text
        for line, said in _runs(code_)
        for text in said.rstrip("\n").split("\n")
    ]
    return fenced("\n".join(marked), language)


def _lines(block: Element) -> Iterator[Element]:
    return (line for line, _ in _runs(block) if line)


def _runs(block: Element) -> Iterator[tuple[Element | None, str]]:
    """The lines of a log, some of them one by one, each with its element."""
    for one in block.children:
        if isinstance(one, str):
            if one.strip("\n"):
                yield None, one
        elif one.name == "code":
            yield from _runs(one)
        else:
            yield one, one.text


def _items(one: Element, resolve: Resolve) -> Iterator[str]:
    for number, item in enumerate((child for child in one.children if isinstance(child, Element)), 1):
        mark = "-" if one.name == "ul" else f"{number}."
        first, *more = list(_blocks(item.children, resolve)) or [""]
        lines = [line for block in more for line in ("", *block.split("\n"))]
        head, *rest = first.split("\n")
        yield "\n".join([f"{mark} {head}", *(f"{_INDENT}{line}".rstrip() for line in (*rest, *lines))])


def _facts(one: Element, resolve: Resolve) -> Iterator[str]:
    for name, value in zip(one.all("dt"), one.all("dd"), strict=False):
        yield f"- {_line(name.children, resolve)}: {_line(value.children, resolve)}"


def _table(one: Element, resolve: Resolve) -> Iterator[str]:
    for number, row in enumerate(one.all("tr")):
        cells = [" ".join(_blocks(cell.children, resolve)) for cell in row.all("th", "td")]
        yield f"| {' | '.join(cells)} |"
        if not number:
            yield "|" + "---|" * len(cells)


def _line(children: Iterable[Element | str], resolve: Resolve) -> str:
    """What stands in one line."""
    return begun(" ".join("".join(_inline(children, resolve)).split()).removeprefix("· ").strip())


def _inline(children: Iterable[Element | str], resolve: Resolve) -> Iterator[str]:
    for one in _joined(children):
        if isinstance(one, str):
            yield _spaced(one, within(plain(one)))
        elif one.name in _LEFT_OUT or one.classes & _LEFT_OUT_CLASSES:
            continue
        elif one.name == "br":
            yield "; "
        elif one.name == "code":
            yield _spaced(one.text, code(one.text))
        elif one.name in _STRONG:
            said = _line(one.children, resolve)
            yield _spaced(one.text, f"{_STRONG[one.name]}{said}{_STRONG[one.name]}" if said else "")
        elif one.name == "a":
            said, to = _line(one.children, resolve), resolve(one.href)
            yield _spaced(one.text, f"[{said}]({to})" if to and said else said)
        else:
            apart = " · " if one.classes & _APART else " " if one.name in _BLOCKS else ""
            yield f"{apart}{''.join(_inline(one.children, resolve))}{' ' if apart else ''}"


def _joined(children: Iterable[Element | str]) -> Iterator[Element | str]:
    """The children, texts that stand next to each other as one: a long word has places where it may be broken."""
    text = ""
    for one in children:
        if isinstance(one, str):
            text += one
        elif one.name != "wbr":
            if text:
                yield text
            text = ""
            yield one
    if text:
        yield text


def _spaced(text: str, said: str) -> str:
    """With the white space that a text begins and ends with."""
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and text.strip() else ""
    return f"{before}{said}{after}"
