"""Which passages have no vector yet: how many, and which come next (RECALL-2)."""

from memory.recall.nearness import STEP
from memory.storage import vectors
from memory.storage.database import Database
from memory.storage.vectors import Space


class Backlog:
    """What is to be embedded: what is new first, the newest of it, then the rest, oldest first.

    Args:
        database: Where the passages are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._upto = 0
        """The newest passage when this began; those after it are new."""
        self._older_at = 0
        """Up to here all that was there before has its vectors."""
        self.seen = 0
        """Up to here all that is new has its vectors."""
        self._counted_to = 0
        self.passages = 0
        """Those that were counted, up to the newest one of then."""
        self._indexed = 0
        self._some_went = False

    @property
    def missing(self) -> int:
        """How many of those that were counted have no vector."""
        return max(0, self.passages - self._indexed)

    async def begin(self, space: Space) -> None:
        """Begins anew, as with another embedder.

        Raises:
            StorageError: The database refused.
        """
        self._upto = self.seen = (await vectors.newest(self._database)).passage
        self._older_at = 0
        await self._count_all(space)

    def some_went(self) -> None:
        """Notes that some that were counted may have gone."""
        self._some_went = True

    def made(self, number: int) -> None:
        """Notes that so many have a vector now."""
        self._indexed += number

    async def count(self, space: Space) -> None:
        """Counts the passages that have come since, and how many of them have a vector.

        Raises:
            StorageError: The database refused.
        """
        newest = (await vectors.newest(self._database)).passage
        while self._counted_to < newest:
            high = min(self._counted_to + STEP, newest)
            part = await vectors.count(self._database, space, self._counted_to + 1, high)
            self.passages += part.passages
            self._indexed += part.vectors
            self._counted_to = high

    async def count_again(self, space: Space) -> None:
        """Counts all of them, where what was counted can't be right any more.

        Raises:
            StorageError: The database refused.
        """
        if self._some_went or self.passages != self._indexed:
            self._some_went = False
            await self._count_all(space)

    async def next_texts(self, space: Space, most: int) -> list[tuple[int, str]]:
        """Passages that come next with their texts; none where all have a vector.

        Raises:
            StorageError: The database refused.
        """
        return await self._new_texts(space, most) or await self._older_texts(space, most)

    async def _count_all(self, space: Space) -> None:
        self._counted_to = self.passages = self._indexed = 0
        await self.count(space)

    async def _new_texts(self, space: Space, most: int) -> list[tuple[int, str]]:
        newest = (await vectors.newest(self._database)).passage
        if newest <= self.seen:
            return []
        texts = await vectors.without(
            self._database, space, self.seen + 1, newest, most, newest_first=True
        )
        if not texts:
            self.seen = newest
        return texts

    async def _older_texts(self, space: Space, most: int) -> list[tuple[int, str]]:
        while self._older_at < self._upto:
            low, high = self._older_at + 1, min(self._older_at + STEP, self._upto)
            texts = await vectors.without(
                self._database, space, low, high, most, newest_first=False
            )
            if texts:
                self._older_at = texts[0][0] - 1
                return texts
            self._older_at = high
        return []
