"""Spans around what memory does, where there is a tracer that takes them (ALL-4).

Without one an operation costs a look at a variable, and nothing is loaded for it. A span tells
numbers, and names that Strata or the configuration gave; never anything of a text (RECALL-7).
"""

from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextvars import Context
from functools import wraps
from types import TracebackType
from typing import Any, ParamSpec, Protocol, Self, TypeVar

Value = str | int | float | bool
Attributes = Mapping[str, Value]
Given = ParamSpec("Given")
Result = TypeVar("Result")
Told = Callable[[Any], Mapping[str, Value | None]]
"""From what an operation returned to what its span tells of it."""

OWN = "strata."
"""Begins the names of what only Strata tells; others are OpenTelemetry's, which have a dot."""
WAY_TO_SESSION = ("_keeping", "_journal", "journal")
"""The fields by which the parts of an open session hold it."""


class Span(Protocol):
    """One operation under way."""

    def enter(self) -> None:
        """What begins from here on in this task is a part of it."""
        ...

    def leave(self) -> None:
        """Ends what `enter` began."""
        ...

    def tell(self, attributes: Attributes) -> None:
        """Adds what is known by now."""
        ...

    def end(self, error: BaseException | None) -> None:
        """Ends it; of an error only its kind is told."""
        ...


class Tracer(Protocol):
    """Takes spans."""

    def begin(self, name: str, attributes: Attributes, *, asks: bool = False) -> Span:
        """Begins a span below the one that is entered.

        Args:
            name: Of the operation.
            attributes: What is known of it.
            asks: Whether it waits for another program.
        """
        ...

    def past(self, name: str, seconds: float, attributes: Attributes) -> None:
        """A span that has just ended, after so many seconds."""
        ...

    def apart(self) -> Context:
        """A context like the present one in which no span is entered."""
        ...


class _Used:
    tracer: Tracer | None = None


class Within:
    """A span as a block; without one a block that does nothing."""

    __slots__ = ("_span",)

    def __init__(self, span: Span | None) -> None:
        self._span = span

    def __enter__(self) -> Self:
        if self._span is not None:
            self._span.enter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._span is not None:
            self._span.leave()
            self._span.end(error)

    def tell(self, **known: Value | None) -> None:
        """Adds what is known by now; what is None is left out."""
        if self._span is not None:
            self._span.tell(_named(known))


_NOTHING = Within(None)


def use(tracer: Tracer | None) -> None:
    """From here on spans of this process go to a tracer; None for no spans."""
    _Used.tracer = tracer


def is_on() -> bool:
    """Whether anybody takes spans."""
    return _Used.tracer is not None


def span(name: str, owner: object = None, *, asks: bool = False, **known: Value | None) -> Within:
    """A block that is one operation.

    Args:
        name: Of the operation.
        owner: A part of an open session, which the span then names.
        asks: Whether it waits for another program.
        known: What is known of it.
    """
    tracer = _Used.tracer
    if tracer is None:
        return _NOTHING
    return Within(tracer.begin(name, {**_about(owner), **_named(known)}, asks=asks))


def operation(
    name: str, told: Told | None = None
) -> Callable[
    [Callable[Given, Coroutine[Any, Any, Result]]], Callable[Given, Coroutine[Any, Any, Result]]
]:
    """Makes each call of a method or function an operation, with the session it belongs to.

    Args:
        name: Of the operation.
        told: What is told of its result.
    """

    def decorate(
        work: Callable[Given, Coroutine[Any, Any, Result]],
    ) -> Callable[Given, Coroutine[Any, Any, Result]]:
        async def traced(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            with span(name, args[0] if args else None) as within:
                result = await work(*args, **kwargs)
                if told is not None:
                    within.tell(**told(result))
                return result

        @wraps(work)
        def called(*args: Given.args, **kwargs: Given.kwargs) -> Coroutine[Any, Any, Result]:
            return (work if _Used.tracer is None else traced)(*args, **kwargs)

        return called

    return decorate


def past(name: str, owner: object, seconds: float, **known: Value | None) -> None:
    """An operation that is told of when it is over, such as an answer that streamed."""
    if _Used.tracer is not None:
        _Used.tracer.past(name, seconds, {**_about(owner), **_named(known)})


def around(
    name: str, owner: object, steps: AsyncGenerator[Result, None], **known: Value | None
) -> AsyncGenerator[Result, None]:
    """The same steps, as one operation; who takes them is no part of it."""
    tracer = _Used.tracer
    if tracer is None:
        return steps
    return _around(tracer, name, {**_about(owner), **_named(known)}, steps)


async def _around(
    tracer: Tracer, name: str, known: Attributes, steps: AsyncGenerator[Result, None]
) -> AsyncGenerator[Result, None]:
    begun = tracer.begin(name, known)
    error: BaseException | None = None
    try:
        while (step := await _next(begun, steps)) is not None:
            yield step
    except BaseException as raised:
        error = raised
        raise
    finally:
        begun.enter()
        try:
            await steps.aclose()
        finally:
            begun.leave()
            begun.end(error)


async def _next(begun: Span, steps: AsyncGenerator[Result, None]) -> Result | None:
    begun.enter()
    try:
        return await anext(steps, None)
    finally:
        begun.leave()


def apart() -> Context | None:
    """The context of work behind the conversation, which outlives what began it."""
    return None if _Used.tracer is None else _Used.tracer.apart()


def _named(known: Mapping[str, Value | None]) -> dict[str, Value]:
    return {
        (name if "." in name else OWN + name): value
        for name, value in known.items()
        if value is not None
    }


def _about(owner: object) -> Attributes:
    """Which session a part of it belongs to; nothing for what belongs to none."""
    for name in WAY_TO_SESSION:
        owner = getattr(owner, name, owner)
    about: Attributes = getattr(owner, "about", {})
    return about
