"""The texts that are held for the note about a stale write."""

from hd.files.versions import Versions


def test_the_least_recently_used_text_goes_first() -> None:
    versions = Versions(budget=10)
    versions.keep("a", "12345")
    versions.keep("b", "12345")
    versions.keep("a", "12345")
    versions.keep("c", "123")
    assert [versions.text(key) for key in "abc"] == ["12345", None, "123"]
    versions.keep("huge", "x" * 11)
    assert versions.text("huge") is None
    assert versions.text("a") == "12345"
