"""Methods that make an element and add it to a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from ._element import unknown_field

if TYPE_CHECKING:
    from typing import Self

    from ._element import Element

P = ParamSpec("P")
E = TypeVar("E", bound="Element")


class Adds(Generic[P, E]):
    """A method of the builder with the arguments of a class of elements. It returns the new element."""

    __slots__ = ("_make", "_list")

    def __init__(self, make: Callable[P, E], list: str | None = None) -> None:
        self._make = make
        self._list = list

    @overload
    def __get__(self, model: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, model: object, owner: Any = None) -> Callable[P, E]: ...
    def __get__(self, model: Any, owner: Any = None) -> Any:
        if model is None:
            return self
        make, into = self._make, self._list

        def add(*args: P.args, **kwargs: P.kwargs) -> E:
            known = getattr(make, "_FIELDS", None)
            for name in kwargs:
                if known is not None and name not in known:
                    raise TypeError(unknown_field(make.__name__, name, known))
            made = make(*args, **kwargs)
            model._put(made, into)
            return made

        add.__name__ = add.__qualname__ = getattr(make, "__name__", "add")
        add.__doc__ = make.__doc__
        add.__wrapped__ = make  # type: ignore[attr-defined]
        return add
