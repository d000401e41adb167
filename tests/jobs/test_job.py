"""The output that is kept of a job."""

from hypothesis import given
from hypothesis import strategies as st

from hd.jobs.job import OUTPUT_LIMIT, Job


def job() -> Job:
    return Job("bash-1", kind="bash", label="ls", owner="s", call_id="c", started_at=1)


@given(pieces=st.lists(st.text(max_size=30), max_size=8), start=st.integers(0, 100))
def test_the_output_from_an_offset_on_is_the_rest_of_it(pieces: list[str], start: int) -> None:
    one, whole = job(), "".join(pieces)
    for piece in pieces:
        one.add(piece)
    chunks = one.output(start)
    assert "".join(chunk["text"] for chunk in chunks) == whole[start:]
    assert all(whole[chunk["at"] :].startswith(chunk["text"]) for chunk in chunks)
    assert not any("gapBefore" in chunk for chunk in chunks)
    assert (one.total, one.earliest) == (len(whole), 0)


def test_the_oldest_output_goes_and_a_reader_is_told() -> None:
    one = job()
    text = "".join(f"{number:09}\n" for number in range(30_000))
    one.add(text)
    assert one.total == len(text)
    assert one.total - one.earliest <= OUTPUT_LIMIT
    chunks = one.output(5)
    assert chunks[0]["gapBefore"] is True
    assert chunks[0]["at"] == one.earliest
    assert "".join(chunk["text"] for chunk in chunks) == text[one.earliest :]
    assert sum("gapBefore" in chunk for chunk in chunks) == 1
