"""What the space in a theme's HTML becomes."""

from __future__ import annotations

import pytest

from kb.publish.squeeze import squeezed


def test_space_beside_tags_becomes_one_character() -> None:
    assert squeezed("<ul>\n\n   <li>\t a  b  </li>  <li></ul>") == "<ul>\n<li> a  b </li> <li></ul>"


def test_what_is_shown_or_run_as_it_stands_stays() -> None:
    for kept in ("<pre>\n  a\n   <b>  c</b>\n</pre>", "<script>\n  a  <  b\n</script>", "<textarea>  a  </textarea>"):
        assert squeezed(f"<p>  {kept}  </p>") == f"<p> {kept} </p>"


def test_a_drawing_needs_no_name_of_xml() -> None:
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M1  2"/></svg>'
    assert squeezed(drawing) == '<svg viewBox="0 0 1 1"><path d="M1  2"/></svg>'
    assert squeezed('<p> xmlns="http://www.w3.org/2000/svg"</p>') == '<p> xmlns="http://www.w3.org/2000/svg"</p>'


def test_space_that_no_tag_follows_is_passed_over_once() -> None:
    text = f"a{' ' * 200_000}b"
    assert squeezed(f"<p>{text}</p>") == f"<p>{text}</p>"


@pytest.mark.parametrize(
    "opening", ["<pre", "<pre>", "<textarea>", "<script>", "<svg", "<p>", '<svg xmlns="x"', "</pre "]
)
def test_what_nothing_closes_is_passed_over_once(opening: str) -> None:
    # A pass for each of so many would take hours.
    kept = opening * 100_000
    assert len(squeezed(f"<p>  {kept}  ")) <= len(kept) + 8
    assert squeezed(f"<p>  <pre>  a  {kept}") == f"<p> <pre>  a  {kept}"


def test_a_name_of_xml_outside_of_a_drawing_stays() -> None:
    text = ' xmlns="http://www.w3.org/2000/svg"' * 50_000
    assert squeezed(text) == text
