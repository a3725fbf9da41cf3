"""Branches of a session that a state machine drives: begun anywhere, gone back to at any time."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from memory.branching import NoSuchMessage
from memory.events import Forked
from tests.properties.talking import SEEN, Known, Talking


class Branched(Talking):
    """A session with several branches, of which one is open."""

    def __init__(self) -> None:
        super().__init__()
        self.others: dict[str, Known] = {}
        """What is known of the branches that are not open."""

    @rule(place=st.integers(0, 60), moves=st.booleans())
    def fork(self, place: int, moves: bool) -> None:
        """CHAT-5: a branch shares the past, event for event; talk goes on here or there."""
        memory = self.memory
        number = place % (memory.state.messages + 1)
        if not memory.state.messages:
            assert self.refused(NoSuchMessage, memory.branches.fork(number, "fork"))
            return
        self.hold_still()
        before, log = memory.state, self.session.log()
        branch: str = self.run(memory.branches.fork(number, "fork"))
        SEEN["forked"] += 1
        assert (memory.state, self.session.log()) == (before, log)
        self.others[branch] = Known()
        # By the session's name the new branch would be opened, once it is there.
        self.session.branch = memory.info.branch
        if moves:
            self._check_shared(self._move(branch))
            assert self.memory.state.messages == number

    @precondition(lambda self: self.others)
    @rule(place=st.integers(0, 9))
    def go_elsewhere(self, place: int) -> None:
        """Another branch goes on where it was left."""
        self._move(list(self.others)[place % len(self.others)])

    def _move(self, branch: str) -> Known:
        """Leaves this branch for another; what was known of this one."""
        left = self.known
        here = self.memory.info.branch
        self.session.close()
        self.session.branch = branch
        self.others[here] = left
        self.known = self.others.pop(branch)
        self.session.open()
        self.in_flight = []
        return left

    def _check_shared(self, parent: Known) -> None:
        log = self.session.log()
        begun = max(place for place, entry in enumerate(log) if isinstance(entry.event, Forked))
        common = min(begun, len(parent.log))
        assert log[:common] == parent.log[:common]
        self.known.requests = {id: sent for id, sent in parent.requests.items() if sent.n <= begun}
