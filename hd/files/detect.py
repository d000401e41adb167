"""Which legacy encoding the bytes of a text are in, by evidence, pure.

Three are told apart: GB18030, Shift-JIS and Latin-1. Each that decodes the bytes strictly is weighed by what it makes
of them: how much likelier such characters are in text of its languages than in bytes read under a wrong name. The
weights are logarithms to the base of two and add up, so the lead of the best over the second, or over no encoding at
all, is a confidence. Below `_LEAD` there is no answer. General detectors were weighed against this and guess on a word
or two, where a wrong guess costs more than none (docs/notes/files.md).

An answer is no more than a way to show and to write text: that the bytes come back the same is checked by the caller.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

_LEAD = 3.0
_SAMPLE = 1 << 16
_MOST_SURE = 0.999

# The most frequent characters of Chinese text, half of any, and those of comments and user interfaces.
_COMMON_HANZI = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多"
    "经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知"
    "全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门"
    "任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接"
    "必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住"
    "告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运节注释返参户码输错误删除查询列创建测试读写入存储变"
    "版支持默认配置请码键值调符串组项整型函启停止务器端口网络连接访页按钮击选择确消息密登录级显示单元布局图片样退保存操态"
)
_HANZI = frozenset(_COMMON_HANZI)
_CHINESE_SIGNS = frozenset("，。、：；（）“”‘’《》！？【】…—·")
_JAPANESE_SIGNS = frozenset("、。「」『』・ー（）！？：，．～　")
# Of Western European languages, without the few in whose place Turkish and Czech have letters of their own.
_WESTERN_LETTERS = frozenset("àáâãäåæçèéêëíîïñòóôõöøúûüßœÀÁÂÄÅÆÇÈÉÊÍÑÓÔÖØÚÜŒ")
_WESTERN_RARE = frozenset("ìòùø")
_WESTERN_QUOTES = frozenset("‘’“”«»…\xa0")
_WESTERN_SIGNS = frozenset("©®°±²³µ·§£½¼¾×–—•€™¿¡ªº")
_WESTERN_RUN = re.compile(r"[^\x00-\x7f]+")
_LETTER = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Guess:
    """`sure` is a probability, never 1."""

    codec: str
    name: str
    sure: float


def detect(content: bytes) -> Guess | None:
    """The encoding of text that is not UTF-8, or None where the evidence does not do."""
    sample = content[:_SAMPLE]
    weights: list[tuple[float, str, str]] = []
    for codec, name, weigh in _CANDIDATES:
        text = _decoded(sample, codec, whole=len(sample) == len(content))
        if text is not None:
            weights.append((weigh(text), codec, name))
    weights.sort(reverse=True)
    if not weights:
        return None
    best, codec, name = weights[0]
    lead = best - max(0.0, weights[1][0] if len(weights) > 1 else 0.0)
    if lead < _LEAD:
        return None
    return Guess(_narrowed(codec, content), name, min(1 - 2**-lead, _MOST_SURE))


def _decoded(sample: bytes, codec: str, *, whole: bool) -> str | None:
    try:
        return sample.decode(codec)
    except UnicodeDecodeError as error:
        # A character that the sample cuts in two says nothing.
        if whole or error.start < len(sample) - 4:
            return None
        return sample[: error.start].decode(codec)


def _narrowed(codec: str, content: bytes) -> str:
    """Latin-1 proper where nothing stands in the block that only Windows fills."""
    return "latin-1" if codec == "cp1252" and not any(0x80 <= byte < 0xA0 for byte in content) else codec


def _weigh_chinese(text: str) -> float:
    return sum(_chinese(sign) for sign in text if sign >= "\x80")


@cache
def _chinese(sign: str) -> float:
    if sign in _HANZI:
        return 2.4
    if sign in _CHINESE_SIGNS:
        return 1.5
    raw = sign.encode("gb18030")
    if len(raw) == 2 and raw[1] >= 0xA1:
        # The first level of GB 2312 are the 3,755 characters of common use; what is Korean decodes to them as well.
        if 0xB0 <= raw[0] <= 0xD7:
            return -1.2
        return 0.0 if 0xA1 <= raw[0] <= 0xA3 else -2.0
    return -4.0


def _weigh_japanese(text: str) -> float:
    kana = 0
    weight = 0.0
    for sign in text:
        if sign < "\x80":
            continue
        if "\u3041" <= sign <= "\u30f6":
            kana += 1
            weight += 2.0
        elif sign in _JAPANESE_SIGNS:
            weight += 1.0
        else:
            weight += _kanji(sign)
    # Without a syllable of its own script Japanese cannot be told from chance.
    return weight if kana else 0.0


@cache
def _kanji(sign: str) -> float:
    raw = sign.encode("cp932")
    if len(raw) == 1:
        return -1.5
    if 0x88 <= raw[0] <= 0x97:
        return 0.5
    return 0.0 if raw[0] <= 0x84 else -2.0


def _weigh_western(text: str) -> float:
    return sum(_western(text, found.start(), found.end()) for found in _WESTERN_RUN.finditer(text))


def _western(text: str, start: int, end: int) -> float:
    """A letter stands in a word of ASCII letters and seldom beside another accented one; a sign stands alone. In the
    other single-byte encodings letters stand where Latin-1 has signs, so that a sign in a word speaks against it."""
    run = text[start:end]
    if len(run) > 2:
        return -2.0 * len(run)
    beside = bool(_LETTER.match(text[start - 1 : start]) or _LETTER.match(text[end : end + 1]))
    weight = 0.0
    for sign in run:
        if sign in _WESTERN_LETTERS:
            weight += 3.2 if beside else 0.2
        elif sign in _WESTERN_QUOTES or sign in _WESTERN_RARE:
            weight += 0.5
        else:
            weight += 1.0 if sign in _WESTERN_SIGNS and not beside else -10.0
    return weight


_Weigh = Callable[[str], float]
_CANDIDATES: tuple[tuple[str, str, _Weigh], ...] = (
    ("gb18030", "GB18030", _weigh_chinese),
    ("cp932", "Shift-JIS", _weigh_japanese),
    ("cp1252", "Latin-1", _weigh_western),
)
