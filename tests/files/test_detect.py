"""Legacy encodings by evidence: the three that are known, and no guess about the others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.files.detect import detect

CHINESE = "# 读取配置文件，返回用户的数据。\n"
JAPANESE = "// ファイルを読み込んで、設定を返します。\n"
GERMAN = "/* Größe der Prüfsumme, für später */\n"
FRENCH = "# « Où est le café ? » — déjà trouvé\n"


@pytest.mark.parametrize(
    ("text", "codec", "found"),
    [
        (CHINESE, "gb18030", "gb18030"),
        (CHINESE, "gbk", "gb18030"),
        ("# 注释\n", "gb18030", "gb18030"),
        ("名称=值\r\n", "gb18030", "gb18030"),
        ("# 𠀀的注释是这样\n", "gb18030", "gb18030"),
        (JAPANESE, "cp932", "cp932"),
        ("# テスト\n", "shift_jis", "cp932"),
        (GERMAN, "latin-1", "latin-1"),
        (FRENCH.replace("—", "-"), "latin-1", "latin-1"),
        (FRENCH, "cp1252", "cp1252"),
        ("don’t “quote” me, café\n", "cp1252", "cp1252"),
    ],
)
def test_the_three(text: str, codec: str, found: str) -> None:
    for content in (text, "x = 1\n" + text * 3, "int main() {\n" + text + "}\n" * 50):
        guess = detect(content.encode(codec))
        assert guess is not None
        assert guess.codec == found
        assert 0.8 < guess.sure < 1


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("# 讀取設定檔，傳回使用者的資料。\n", "big5"),
        ("# 설정 파일을 읽고 사용자 데이터를 반환한다\n", "euc_kr"),
        ("# ファイルを読み込んで、設定を返します。\n", "euc_jp"),
        ("# Прочитать настройки пользователя\n", "cp1251"),
        ("# Прочитать настройки пользователя\n", "koi8_r"),
        ("# Zażółć gęślą jaźń\n", "iso8859_2"),
        ("# Διάβασε τις ρυθμίσεις\n", "iso8859_7"),
        ("# é\n", "latin-1"),
        ("©\n", "latin-1"),
        ("# 龘\n", "gb18030"),
        ("# 設定\n", "cp932"),
    ],
)
def test_no_guess_about_others_and_about_too_little(text: str, codec: str) -> None:
    assert detect(text.encode(codec)) is None


def test_a_sample_may_end_in_the_middle_of_a_character() -> None:
    for shift in range(4):
        guess = detect(b"x" * shift + CHINESE.encode("gb18030") * 5000)
        assert guess is not None
        assert guess.codec == "gb18030"


@given(st.binary())
def test_bytes_by_chance_are_weighed_without_an_error(content: bytes) -> None:
    guess = detect(content)
    assert guess is None or 0 < guess.sure < 1
