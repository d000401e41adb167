"""Numbers for people."""

_UNITS = ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k"))
_BYTES = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))


def compact(number: int) -> str:
    """`999`, `1.2k`, `12k`, `3.4M`: at most four characters up to a thousand millions."""
    for unit, name in _UNITS:
        if number >= unit:
            tenths = number * 10 // unit
            return f"{tenths // 10}.{tenths % 10}{name}" if tenths < 100 and tenths % 10 else f"{tenths // 10}{name}"
    return str(number)


def size(count: int) -> str:
    """A number of bytes: `512 B`, `4.2 KB`."""
    for unit, name in _BYTES:
        if count >= unit:
            tenths = count * 10 // unit
            return f"{tenths // 10}.{tenths % 10} {name}" if tenths < 1000 else f"{tenths // 10} {name}"
    return f"{count} B"


def plural(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def percent(part: int, whole: int) -> int:
    """Whole per cent, rounded down so that only the whole is 100."""
    return 0 if whole <= 0 else max(0, part) * 100 // whole


def share(part: int, whole: int) -> str:
    """Per cent with as many digits as it needs, at most two decimals, so that it says 100 only for all of it."""
    if whole <= 0 or part <= 0:
        return "0%"
    if part >= whole:
        return "100%"
    hundredths = part * 10_000 // whole
    if hundredths >= 9_990:
        return f"{hundredths // 100}.{hundredths % 100:02}%"
    if hundredths >= 9_900:
        return f"{hundredths // 100}.{hundredths % 100 // 10}%"
    return f"{(hundredths + 50) // 100}%"
