"""The page of a conversation: everything from outside is text in it, and nothing in it reaches out (row T16, J18)."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.protocol.projections.transcript import Row
from htui.present.page import formula_html, markdown_html, page_end, page_head, row_html

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "![x](https://evil.example/pixel.png)",
    "<javascript:alert(1)>",
    "```mermaid\ngraph TD; A[<script>x</script>]-->B\n```",
    "```html\n</code></pre><script>x</script>\n```",
    "```<script>\nx\n```",
    "$\\href{javascript:alert(1)}{x}$",
    "$$\\text{</math><script>x</script>}$$",
    "$\\style{background:url(https://evil.example)}{x}$",
    "[^1]\n\n[^1]: <script>x</script>",
    "| <script>a</script> | b |\n|---|---|\n| </td> | d |",
    'https://evil.example/"onmouseover=alert(1)',
    "\x1b]8;;javascript:alert(1)\x07x\x1b]8;;\x07",
]
REACHING = ("script", "img", "iframe", "object", "embed", "link", "base", "form", "input", "svg", "video")


class Reader(HTMLParser):
    """Every element with its attributes, as a browser would find them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


def elements(page: str) -> list[tuple[str, dict[str, str]]]:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader.found


def check(page: str) -> None:
    for tag, attributes in elements(page):
        assert tag not in (
            "script",
            "img",
            "iframe",
            "object",
            "embed",
            "link",
            "base",
            "form",
            "input",
            "svg",
            "video",
        )
        assert not any(name.startswith("on") for name in attributes), attributes
        assert "src" not in attributes
        address = attributes.get("href", "#").lower()
        assert address.startswith(("http://", "https://", "mailto:", "#")), address
        if "style" in attributes:
            assert "url" not in attributes["style"]


@pytest.mark.parametrize("text", HOSTILE)
def test_t16_nothing_of_a_text_becomes_more_than_text(text: str) -> None:
    check(markdown_html(text))
    for kind in ("user", "assistant", "reasoning", "tool", "context", "notice", "compaction"):
        row = Row("1", kind, 1, 1, 0, text=text, name=text, arguments=text)  # type: ignore[arg-type]
        check(row_html(row))
    check(page_head(text, text, 0))
    assert "\x1b" not in markdown_html(text)


@given(st.lists(st.sampled_from([*HOSTILE, "a", "\n", "`", "<", ">", '"', "&", "$", "*", "[", "](", "|"]), max_size=12))
def test_t16_no_mixture_of_them_does_either(parts: list[str]) -> None:
    check(markdown_html("".join(parts)))


def test_t16_what_is_written_is_shown() -> None:
    page = markdown_html(
        "# Head\n\n- *one*\n- `two <b>`\n\n[a](https://example.org/?a=1&b=2)\n\n| a |\n|---|\n| 中文 |\n"
    )
    for part in ("<h1>Head</h1>", "<em>one</em>", "<code>two &lt;b&gt;</code>", "<td>中文</td>"):
        assert part in page
    assert 'href="https://example.org/?a=1&amp;b=2"' in page


def test_t16_formulas_are_mathml_and_what_cannot_be_read_stays_source() -> None:
    assert "<mfrac>" in formula_html(r"\frac{a}{b}", block=False)
    assert 'display="block"' in formula_html("x^2", block=True)
    assert "<math" in markdown_html("so $x_1$ is")
    assert formula_html("x" * 5000, block=False).startswith("<code>")
    assert formula_html(r"\href{javascript:x}{y}", block=False).startswith(("<code>", "<math"))


def test_t16_a_diagram_is_drawn_and_the_page_forbids_the_network() -> None:
    assert "┌" in markdown_html("```mermaid\ngraph LR\n A[One] --> B[Two]\n```")
    head = page_head("Title", "/srv/x", 0)
    assert "default-src 'none'" in head
    assert "prefers-color-scheme: dark" in head
    assert page_end("3 entries.").endswith("</html>\n")
