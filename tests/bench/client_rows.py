"""What a person meets of the client; filled in below."""

from typing import Final

from tests.bench.stage import Probe

PROBES: Final[tuple[Probe, ...]] = ()
