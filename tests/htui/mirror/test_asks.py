"""Several clients and what waits for a person: whoever answers, leaves or comes late, each shows what waits for it."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from htui.mirror import HostMirror


@dataclass
class Client:
    """A client of the model: its mirror, what is on its way to it, and what it left to the others."""

    mirror: HostMirror = field(default_factory=HostMirror)
    coming: deque[Any] = field(default_factory=deque)
    passed_on: set[str] = field(default_factory=set)
    open: bool = False

    def shown(self) -> list[str]:
        return [ask.event_id for ask in self.mirror.asks]

    def receive(self) -> None:
        if self.coming:
            item = self.coming.popleft()
            if item is not None:
                self.mirror.event(item, 1)
            else:
                self.mirror.confirmed()


class Host:
    """Sends asks as the wire has it (WIRE 5.2): to all, again to those who come late, a cancel to who did not win."""

    def __init__(self, clients: list[Client]) -> None:
        self.clients = clients
        self.waiting: dict[str, Any] = {}
        self.count = 0

    def ask(self) -> None:
        self.count += 1
        event_id = f"ask-{self.count}"
        named = {"type": "waterfall", "event": "approval/request", "eventId": event_id, "agentId": "s1"}
        self.waiting[event_id] = {**named, "request": {"toolName": "bash"}}
        self._tell(self.waiting[event_id])

    def settle(self, event_id: str, winner: Client | None) -> None:
        if self.waiting.pop(event_id, None) is not None:
            for client in self.clients:
                if client is not winner and event_id not in client.passed_on:
                    self._tell({"type": "cancel", "eventId": event_id}, client)

    def connect(self, client: Client) -> None:
        client.open, client.passed_on = True, set()
        client.mirror.begin()
        client.coming.extend([{"type": "ready", "clientId": "c", "host": {}}, *self.waiting.values(), None])

    @staticmethod
    def lose(client: Client) -> None:
        client.open = False
        client.coming.clear()

    def _tell(self, item: Any, only: Client | None = None) -> None:
        for client in self.clients if only is None else [only]:
            if client.open:
                client.coming.append(item)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "answer", "next", "withdraw", "connect", "lose", "receive", "receive", "receive"]),
        st.integers(0, 2),
        st.integers(0, 9),
    ),
    max_size=60,
)


@given(STEPS)
def test_each_client_shows_what_waits_and_what_it_did_not_leave_to_the_others(
    steps: list[tuple[str, int, int]],
) -> None:
    clients = [Client() for _ in range(3)]
    host = Host(clients)
    host.connect(clients[0])
    for step, number, which in steps:
        client = clients[number]
        shown = client.shown()
        if step == "ask":
            host.ask()
        elif step == "withdraw" and host.waiting:
            host.settle([*host.waiting][which % len(host.waiting)], None)
        elif step in ("answer", "next") and client.open and shown:
            event_id = shown[which % len(shown)]
            if step == "answer":
                host.settle(event_id, client)
            else:
                client.passed_on.add(event_id)
            client.mirror.settled(event_id)
        elif step == "connect" and not client.open:
            host.connect(client)
        elif step == "lose" and client.open:
            host.lose(client)
        elif step == "receive":
            client.receive()
    for client in clients:
        while client.coming:
            client.receive()
        if client.open:
            assert client.shown() == [event_id for event_id in host.waiting if event_id not in client.passed_on]
