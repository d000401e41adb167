"""What the names of TeX stand for, as far as pylatexenc does not know it, and the classes that decide the spacing."""

SYMBOLS = {
    "Im": "ℑ", "Re": "ℜ", "bot": "⊥", "colon": ":", "degree": "°", "ge": "≥", "gets": "←", "iff": "⟺",
    "impliedby": "⟸", "implies": "⟹", "land": "∧", "lor": "∨", "lnot": "¬", "models": "⊨", "ne": "≠", "neg": "¬",
    "owns": "∋", "prime": "′", "triangle": "△", "triangleq": "≜", "coloneqq": "≔", "lbrack": "[", "rbrack": "]",
    "lVert": "‖", "mid": "∣", "rVert": "‖", "rvert": "|", "mod": "mod", "hslash": "ħ", "blacksquare": "■", "qed": "∎",
    "checkmark": "✓", "dotsc": "…", "dotsb": "⋯", "dotsm": "⋯", "dotsi": "⋯", "varnothing": "∅", "upharpoonright": "↾",
    "{": "{", "}": "}", "%": "%", "$": "$", "&": "&", "#": "#", "_": "_", "|": "‖",
}  # fmt: skip

FUNCTIONS = frozenset({
    "arccos", "arcsin", "arctan", "arg", "argmax", "argmin", "cos", "cosh", "cot", "coth", "csc", "deg", "det",
    "dim", "exp", "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "Pr",
    "sec", "sin", "sinh", "sup", "tan", "tanh",
})  # fmt: skip
"""Names that are written upright, with a blank to what they are applied to."""

RELATIONS = frozenset("=<>≤≥≠≈≡∼≃≅≐≍∝∈∉∋⊂⊃⊆⊇⊊⊋⊏⊐→←↔⇒⇐⇔⟶⟵⟷⟹⟸⟺↦⟼↪↣↠≪≫≺≻≼≽⊢⊨⊥∥∣∤≜≔:⩽⩾≲≳⊑⊒")
OPERATIONS = frozenset("+-*±∓×÷·∙∘⋆∗∪∩∧∨⊕⊖⊗⊙∖⊎⊓⊔†‡")
LARGE = frozenset("∑∏∐∫∬∭∮⋃⋂⋁⋀⨁⨂⨀")
OPENING = frozenset("([{⟨⌊⌈")
CLOSING = frozenset(")]}⟩⌋⌉!")

ACCENTS = {
    "hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "vec": "\u20d7", "tilde": "\u0303", "widetilde": "\u0303",
    "dot": "\u0307", "ddot": "\u0308", "check": "\u030c", "breve": "\u0306", "acute": "\u0301", "grave": "\u0300",
    "mathring": "\u030a",
}  # fmt: skip
"""Combining marks over one letter."""

LINES = {"overline": "\u0305", "underline": "\u0332"}
"""Combining lines, one a letter."""

FENCES = {
    "matrix": "[]", "pmatrix": "[]", "bmatrix": "[]", "Bmatrix": "{}", "vmatrix": "||", "Vmatrix": "‖‖",
    "smallmatrix": "[]", "array": "[]", "cases": "{}", "rcases": "{}",
}  # fmt: skip
"""What stands around the rows of an environment."""

ROWS = frozenset({
    "align", "align*", "aligned", "alignat", "alignedat", "eqnarray", "eqnarray*", "equation", "equation*",
    "flalign", "flalign*", "gather", "gather*", "gathered", "multline", "multline*", "split",
})  # fmt: skip
"""Environments that are lines under one another."""

UPPER = str.maketrans(
    "0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδεθιφχ′∘",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᶥᵠᵡ′°",
)
LOWER = str.maketrans(
    "0123456789+-=()aehijklmnoprstuvxβγρφχ",
    "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
)

ARITY = {
    "binom": "{{", "dbinom": "{{", "tbinom": "{{", "dfrac": "{{", "tfrac": "{{", "cfrac": "{{", "operatorname": "*{",
    "pmod": "{", "overset": "{{", "underset": "{{", "stackrel": "{{", "substack": "{", "boldsymbol": "{", "bm": "{",
    "mathring": "{", "tag": "*{", "boxed": "{", "mathop": "{", "mathrel": "{", "mathbin": "{",
}  # fmt: skip
"""Arguments of macros that pylatexenc does not know."""

FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac"})
BINOMIALS = frozenset({"binom", "dbinom", "tbinom"})
WORDS = frozenset({"text", "textrm", "textbf", "textit", "textnormal", "textsf", "texttt", "mbox"})
UPRIGHT = frozenset({"mathrm", "mathbf", "mathit", "mathsf", "mathtt", "mathnormal", "boldsymbol", "bm", "boxed"})
ALPHABETS = frozenset({"mathbb", "mathcal", "mathfrak", "mathscr"})
SPACES = frozenset({",", ":", ";", " ", "quad", "qquad", "thinspace", "enspace"})
NOTHING = frozenset({
    "!", "left", "right", "middle", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl",
    "biggr", "Biggl", "Biggr", "limits", "nolimits", "displaystyle", "textstyle", "scriptstyle", "nonumber",
    "notag",
})  # fmt: skip
"""Names that change only the size and the place of what follows."""

ROOTS = {"2": "√", "3": "∛", "4": "∜"}
