"""How often a wrong token may be tried: the count, pure, and what a guesser sees of it."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.server.guesses import LIMIT, MAX_PLACES, WINDOW_MS, Guesses
from tests.server.inside import NOW, Place, exchanged, place
from tests.support.daemon import Daemon


def test_a_pause_lasts_until_the_oldest_wrong_token_is_a_minute_old() -> None:
    guesses = Guesses()
    for number in range(LIMIT):
        assert guesses.pause("127.0.0.1", NOW + number * 1000) == 0
        guesses.wrong("127.0.0.1", NOW + number * 1000)
    now = NOW + (LIMIT - 1) * 1000
    assert guesses.pause("127.0.0.1", now) == 60 - (LIMIT - 1)
    assert guesses.pause("127.0.0.2", now) == 0
    assert guesses.pause("127.0.0.1", NOW + WINDOW_MS - 1) == 1
    assert guesses.pause("127.0.0.1", NOW + WINDOW_MS) == 0
    guesses.wrong("127.0.0.1", NOW + WINDOW_MS)
    assert guesses.pause("127.0.0.1", NOW + WINDOW_MS) == 1


def test_a_clock_that_was_set_back_shuts_nobody_out() -> None:
    guesses = Guesses()
    for _ in range(LIMIT):
        guesses.wrong("127.0.0.1", NOW)
    assert guesses.pause("127.0.0.1", NOW - 3_600_000) == 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("fe80::1%eth0", "fe80::2", True),
        ("::1", "127.0.0.1", False),
    ],
)
def test_what_counts_as_one_address(one: str, other: str, same: bool) -> None:
    guesses = Guesses()
    for _ in range(LIMIT):
        guesses.wrong(one, NOW)
    assert bool(guesses.pause(other, NOW)) is same


@given(st.lists(st.one_of(st.none(), st.text(max_size=20), st.ip_addresses().map(str)), max_size=50))
def test_any_address_can_be_counted(addresses: list[str | None]) -> None:
    guesses = Guesses()
    for address in addresses:
        guesses.wrong(address, NOW)
        guesses.pause(address, NOW)


def test_memory_is_bounded() -> None:
    guesses = Guesses()
    for number in range(MAX_PLACES * 2):
        guesses.wrong(f"10.0.{number >> 8}.{number & 255}", NOW)
    assert len(guesses._wrong) == MAX_PLACES


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


async def asked(here: Place, token: str, *, cookie: str = "") -> tuple[int, str]:
    """Status and Retry-After of a login."""
    answer = (await here.get(f"/?token={token}", cookie)).decode()
    retry = [line.partition(": ")[2] for line in answer.split("\r\n") if line.lower().startswith("retry-after")]
    return int(answer.split(" ")[1]), retry[0] if retry else ""


async def test_a_right_token_works_again_after_the_pause() -> None:
    clock = Clock()
    async with place({}, clock=clock) as here:
        token = here.gate.new_token()
        for _ in range(LIMIT):
            assert await asked(here, "wrong") == (401, "")
        assert await asked(here, "wrong") == (429, "60")
        assert await asked(here, token) == (429, "60")
        # Who is in already is not put out by others who guess.
        assert await asked(here, "wrong", cookie=here.cookie) == (303, "")
        clock.now += WINDOW_MS - 1
        assert await asked(here, token) == (429, "1")
        clock.now += 1
        assert await asked(here, token) == (303, "")


def test_guessing_over_a_real_daemon_ends_at_the_tenth(own: Daemon) -> None:
    for path in ["/?token=AAAA", "/connect?token=AAAA"] * (LIMIT // 2):
        assert own.http("GET", path)[0] == 401
    for path in ("/?token=AAAA", "/connect?token=AAAA", f"/?token={own.token}", f"/connect?token={own.token}"):
        status, headers, _ = own.http("GET", path)
        assert status == 429
        assert 0 < int(headers["retry-after"]) <= 60
        assert "set-cookie" not in headers
    assert own.call("session/list", _request={}) == {"items": []}


# What a token and a secret are good for, by the clock of the daemon.


async def test_k03_a_token_in_a_bookmark_or_a_history_is_dead_after_minutes() -> None:
    clock = Clock()
    async with place({}, clock=clock) as here:
        used, unused = here.gate.tokens.issue(NOW), here.gate.tokens.issue(NOW)
        assert await asked(here, used) == (303, "")
        clock.now += 10 * 60 * 1000 - 1
        assert await asked(here, used) == (303, "")
        clock.now += 1
        assert (await asked(here, used))[0] == 401
        clock.now = NOW + 24 * 60 * 60 * 1000 - 1
        assert await asked(here, unused) == (303, "")
        late = here.gate.tokens.issue(NOW)
        clock.now += 1
        assert (await asked(here, late))[0] == 401
        # What it was exchanged for goes on.
        assert await asked(here, "", cookie=here.cookie) == (303, "")


async def test_every_secret_is_compared_in_the_same_time_for_every_wrong_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where another comparison takes the place of this one, a wrong secret is not seen by it any more."""
    compared: list[bytes] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.extend((one, other))
        return one == other

    monkeypatch.setattr(hmac, "compare_digest", compare)
    async with place({}) as here:
        token = here.gate.tokens.issue(NOW)
        name, _, value = here.cookie.partition("=")
        body, _, signature = value.rpartition(".")
        for made, secret in (
            (asked(here, token), hashlib.sha256(token.encode()).digest()),
            (asked(here, "wrong"), hashlib.sha256(b"wrong").digest()),
            (here.get("/", here.cookie), signature.encode()),
            (here.get("/", f"{name}={body}.wrong"), b"wrong"),
            (exchanged(here, "/api/local/token", "X-Hd-Secret: local", b""), b"local"),
            (exchanged(here, "/api/local/token", "X-Hd-Secret: wrong", b""), b"wrong"),
        ):
            compared.clear()
            await made
            assert secret in compared
