"""What all elements of a model have: where Python made them, and their form in the document."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from ._errors import Error
from .units import Quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._builder import Ground, ModelBuilder
    from .elements.bodies import FlexibleBody, Marker, Part, PointMass

#: A number: plain, with a unit (``mm(30)``, ``"30 mm"``), or ``"=expression of parameters"``.
Number: TypeAlias = "float | str | Quantity"
#: An expression, or a plain number.
Expression: TypeAlias = "float | str | Quantity"
#: A whole number, or a text of the model format that becomes one.
Whole: TypeAlias = "int | str"
#: True or false, or a text of the model format that becomes one.
Flag: TypeAlias = "bool | str"
#: Numbers in a row: a vector, a curve.
Numbers: TypeAlias = "Sequence[Number] | NDArray[Any] | str"
#: Rows of numbers.
Rows: TypeAlias = "Sequence[Numbers] | NDArray[Any] | str"
#: A marker, or its name; ``ground`` is one.
MarkerName: TypeAlias = "Marker | Ground | str"
#: A body, or its name; ``ground`` is one.
BodyName: TypeAlias = "Part | PointMass | FlexibleBody | Ground | str"


@dataclass(frozen=True)
class Place:
    """A line of Python."""

    file: str
    line: int


def caller() -> Place:
    """The line outside this package that is being run."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_own(frame.f_globals.get("__name__")):
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno)


def _is_own(module: object) -> bool:
    """Functions that dataclasses make count as those of their module."""
    return isinstance(module, str) and (module == "fixstep" or module.startswith("fixstep."))


class Element:
    """An object of the model format. Its fields are those of the format, and may be changed until the model is built."""

    #: The definition in the schema that it belongs to, the word in ``type``, and the list of the document for entities.
    _OF: ClassVar[str]
    _TYPE: ClassVar[str | None] = None
    _LIST: ClassVar[str | None] = None
    #: Fields that hold other objects, with the definition of these.
    _NESTED: ClassVar[Mapping[str, str]] = {}
    #: All classes of a definition.
    _CLASSES: ClassVar[dict[str, list[type[Element]]]] = {}
    #: The fields in the order of the class, and those that all entities have.
    _FIELDS: ClassVar[tuple[str, ...]] = ()
    _COMMON: ClassVar[tuple[str, ...]] = ("description", "when", "class_")

    _where: Place
    _model: ModelBuilder | None = None
    #: The keys of a document that was read, in their order.
    _order: tuple[str, ...] = ()
    #: z and x axis of a marker that was made by axes: they stay when its position changes.
    _axes: tuple[Any, Any] | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets a field; a name that the class does not have is an error."""
        if name[0] == "_":
            object.__setattr__(self, name, value)
            return
        if name not in self._FIELDS:
            raise AttributeError(unknown_field(type(self).__name__, name, self._FIELDS))
        object.__setattr__(self, name, kept(value, lambda: f"{type(self).__name__}{_called(self)}, {name}"))
        if name == "position" and self._axes is not None:
            from ._body import turned

            object.__setattr__(self, "orientation", turned(self, *self._axes))

    def __init_subclass__(cls) -> None:
        if "_OF" in cls.__dict__:
            Element._CLASSES.setdefault(cls._OF, []).append(cls)
            own = tuple(key for key in cls.__annotations__ if key[0] != "_")
            cls._FIELDS = own + (() if cls._LIST is None or "class_" in own else cls._COMMON)

    def __post_init__(self) -> None:
        self._where = caller()

    @property
    def made_at(self) -> Place:
        """The line of Python that made it."""
        return self._where

    def to_dict(self) -> dict[str, Any]:
        """The object in the document."""
        found = {} if self._TYPE is None else {"type": self._TYPE}
        for field in self._FIELDS:
            value = getattr(self, field)
            if value is not None:
                found[field.removesuffix("_")] = plain(value)
        if not self._order:
            # The name first, as people write it.
            return {key: found[key] for key in sorted(found, key=lambda key: key != "name")}
        ordered = {key: found.pop(key, None) for key in self._order}
        return ordered | found

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """The object of a document; fields that it does not have are an error."""
        fields = {}
        for key, item in value.items():
            if key == "type" and cls._TYPE is not None:
                continue
            of = cls._NESTED.get(key)
            own = key + "_" if key + "_" in cls._FIELDS else key
            fields[own] = item if of is None else decoded(of, item)
        # What defaults of the document give, or what is missing altogether, the reader knows.
        for field in cls._FIELDS:
            if not hasattr(cls, field):
                fields.setdefault(field, None)
        made = cls(**fields)
        made._order = tuple(value)
        return made

    def __repr__(self) -> str:
        """What was given, the name first."""
        given = {field: getattr(self, field, None) for field in self._FIELDS}
        shown = [f"{field}={_brief(value)}" for field, value in given.items() if value is not None and field != "name"]
        name = given.get("name")
        return f"{type(self).__name__}({', '.join([repr(name), *shown] if name is not None else shown)})"

    def __str__(self) -> str:
        """The name, so that an entity can stand in the text of an expression."""
        name = getattr(self, "name", None)
        return name if isinstance(name, str) else repr(self)


@dataclass(repr=False)
class Entity(Element):
    """An entry of a list of the document."""

    _: KW_ONLY
    description: str | None = None
    """Free text."""
    when: bool | float | str | None = None
    """Is the entity there? Default: true."""
    class_: str | None = None
    """The class whose defaults it has, besides those of its kind. Default: none."""


def _called(element: Element) -> str:
    name = getattr(element, "name", None)
    return f' "{name}"' if isinstance(name, str) else ""


def unknown_field(kind: str, name: str, known: Iterable[str]) -> str:
    """What is said of a field that a class does not have."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), 1)
    hint = f"did you mean {near[0]!r}?" if near else "valid: " + ", ".join(known)
    return f"{kind} has no field {name!r}; {hint}"


def kept(value: Any, what: Callable[[], str]) -> Any:
    """A value as it is now: arrays and lists are copied, so that they may be used again. Numbers must be finite."""
    if isinstance(value, float) and not math.isfinite(value):
        raise Error(f"{what()}: {value} is no finite number")
    if isinstance(value, complex | bytes | set | frozenset):
        raise Error(f"{what()}: {value!r} of type {type(value).__name__} is no value of a model; valid: a number or a text")
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        raise Error(f"{what()}: a whole number with {len(str(abs(value)))} digits; valid: up to {sys.float_info.max:.3g}")
    if isinstance(value, dict):
        return {key: kept(item, lambda key=key: f"{what()}.{key}") for key, item in value.items()}  # type: ignore[misc]
    if isinstance(value, list):
        return [kept(item, what) for item in value]
    if isinstance(value, tuple):
        items = [kept(item, what) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if type(value).__module__ == "numpy":
        import numpy as np

        array = np.array(value)
        if array.dtype.kind == "c":
            raise Error(f"{what()}: complex numbers; valid: real ones")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise Error(f"{what()}: {value} has numbers that are not finite")
        return array if array.ndim > 0 else value
    if callable(value) and not isinstance(value, Element | type):
        raise Error(f"{what()}: {value!r} is a function; valid: a number or a text, which is evaluated in each step")
    return value


def _brief(value: Any) -> str:
    """A field in a line: entities by their names."""
    if isinstance(value, Element):
        return repr(plain(value)) if value._LIST is not None else repr(value)
    return repr(value)


def plain(value: Any) -> Any:
    """A value as JSON has it. An entity within another one is its name."""
    if isinstance(value, Element):
        name = getattr(value, "name", None)
        return value.to_dict() if value._LIST is None or name is None else name
    if isinstance(value, Quantity) or type(value).__name__ == "Ground":
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def decoded(of: str, value: Any) -> Any:
    """The objects of a definition in a value of a document. What fits no class stays as it is: reading the model tells why."""
    if isinstance(value, list):
        return [decoded(of, item) for item in value]
    if not isinstance(value, Mapping):
        return value
    from .elements import ALTERNATIVES

    names = ALTERNATIVES.get(of, (of,))
    for cls in (cls for name in names for cls in Element._CLASSES.get(name, ())):
        if cls._TYPE is not None and value.get("type") != cls._TYPE:
            continue
        keys = {key for key in value if not (key == "type" and cls._TYPE is not None)}
        own = {field.removesuffix("_") for field in cls._FIELDS}
        required = {field.removesuffix("_") for field in cls._FIELDS if not hasattr(cls, field)}
        if keys <= own and (len(names) == 1 or required <= keys):
            return cls.from_dict(value)
    return value
