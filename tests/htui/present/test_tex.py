"""TeX as text (row T15)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htui.present.lines import text_of
from htui.present.live_text import LiveText
from htui.present.markdown import markdown_lines
from htui.present.tex import LARGEST, formula


def shown(text: str, cells: int = 60) -> list[str]:
    return [text_of(line) for line in markdown_lines(text, cells)]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"x_i^2 + y_{i+1}^{n-1}", "xᵢ² + yᵢ₊₁ⁿ⁻¹"),
        (r"\frac{a+b}{c}", "(a + b)/c"),
        (r"x = \frac{-b \pm \sqrt{b^2-4ac}}{2a}", "x = (-b ± √(b² - 4ac))/(2a)"),
        (r"\frac{dy}{dx} = \frac12 \sqrt[3]{2}", "dy/dx = 1/2 ∛2"),
        (r"\sum_{i=0}^n i = n!", "∑ᵢ₌₀ⁿ i = n!"),
        (r"\int_0^\infty e^{-x^2}\,dx", "∫₀^∞ e^(-x²) dx"),
        (r"\lim_{x\to 0} \frac{\sin x}{x} = 1", "lim_(x→0) (sin x)/x = 1"),
        (r"\forall \epsilon > 0 \; \exists \delta \in \mathbb{R}", "∀ϵ > 0 ∃δ ∈ ℝ"),
        (r"\begin{pmatrix}a & b\\ c & d\end{pmatrix}", "[a, b; c, d]"),
        (r"f(x)=\begin{cases} 1 & x>0 \\ 0 & \text{if not}\end{cases}", "f(x) = {1, x > 0; 0, if not}"),
        (r"\begin{aligned} a &= b \\[2pt] &= c \end{aligned}", "a = b\n= c"),
        (r"P(A\mid B), \binom{n}{k}, \left\{ x \right.", "P(A ∣ B), C(n, k), {x"),
        (r"\hat{x} \vec v f'(x) a \not= b", "x̂v⃗f′(x)a ≠ b"),
        (r"O(n \log n), \operatorname{rank} A, 1,000, 90^\circ", "O(n log n), rank A, 1,000, 90°"),
        (r"a \equiv b \pmod{n} \quad 速度 = \text{长度}/t", "a ≡ b (mod n) 速度 = 长度/t"),
        (r"x^10", "x¹0"),
    ],
)
def test_a_formula_reads_as_one_writes_it_in_plain_text(source: str, text: str) -> None:
    assert formula(source) == text


@pytest.mark.parametrize(
    "source", [r"\unknown{x}", r"\frac{1}{", "x^", r"\hat{AB}", r"\color{red}x", "x" * LARGEST + "y", ""]
)
def test_what_cannot_be_written_stays_source(source: str) -> None:
    assert formula(source) is None


@given(st.text(st.one_of(st.sampled_from("\\{}^_&$'~ \n%abx1+=frcsqt"), st.characters()), max_size=60))
def test_no_formula_raises_or_lets_a_control_character_through(source: str) -> None:
    text = formula(source) or ""
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in text if char != "\n")


@pytest.mark.parametrize("source", ["{" * 4000, r"\frac{" * 600, r"\sqrt{" * 500 + "x" + "}" * 500, "^" * 4000])
def test_deep_formulas_stay_source(source: str) -> None:
    assert formula(source) is None


def test_formulas_in_a_text() -> None:
    assert shown(r"so $x_1$, \(\alpha\) and $$\pi$$.") == ["so x₁, α and π."]
    assert shown("$$\n\\frac{a}{b}\n$$") == ["  a/b"]
    assert shown("text\n\\[ a^2 \\]\nmore") == ["text", "", "  a²", "", "more"]
    assert shown("```latex\n\\sqrt{x}\n```") == ["  √x"]
    assert shown(r"$\unknown{x}$ stays, \[no\] formula") == [r"$\unknown{x}$ stays, [no] formula"]


def test_money_and_variables_are_no_formulas() -> None:
    for text in ("costs $5 and $6", "$HOME/bin and $USER", "US$5$ each", "a $ b $ c", "$5 for apples and then 6$"):
        assert shown(text) == [text]
    assert shown("`$x$`") == ["$x$"]


def test_a_formula_that_is_being_written_is_source_until_its_end() -> None:
    live = LiveText(40)
    text = "so:\n\n$$\na*b*c + \\frac{x}{y}\n$$\nthen"
    seen = []
    for place in range(1, len(text) + 1):
        live.update(text[:place])
        seen.append([text_of(line) for line in live.lines])
    assert ["so:", "", "$$", "a*b*c + \\frac{x}{y}"] in seen
    assert seen[-1] == ["so:", "", "  a * b * c + x/y", "", "then"]
    assert not any("abc" in line for lines in seen for line in lines)
