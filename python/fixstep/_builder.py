"""Models built in Python."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from . import _fixstep
from ._body import OnBody
from ._element import Element, Place, caller, decoded, kept, plain, unknown_field
from ._errors import Error, ModelError
from ._model import Model, Problem, _checked, _read, _refused, _text_of
from .elements import LISTS, OBJECTS
from .elements._methods import Methods

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._body import Body
    from ._element import Numbers
    from ._result import Result
    from ._simulation import Simulation
    from .elements import Experiment, Lint, Marker, Part, Solver, Start, Units

E = TypeVar("E", bound=Element)

#: The keys of a document that are no lists of entities and no objects; they stay as they are given.
_PLAIN = ("fixstep", "name", "description", "gravity", "include", "constants", "defaults", "templates", "instances", "$schema")

#: The path of a warning: the kind and name of an entity, and its field.
_ENTITY = re.compile(r'([a-z][a-z ]*) "([^"]*)"(?:, field (.*))?$')
_STEP = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]")


class Ground(OnBody):
    """Ground: a body and a marker that every model has."""

    name = "ground"

    def __init__(self, model: ModelBuilder) -> None:
        self._own = model

    def _builder(self) -> ModelBuilder:
        return self._own

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return "<ground>"


@dataclass(frozen=True)
class MassProperties:
    """Mass properties of a body [kg, m], in part axes."""

    mass: float
    #: From the origin of the part [m].
    center_of_mass: NDArray[np.float64]
    #: The 3×3 tensor about the centre of mass [kg m²]; the products of the format are the negatives of what is off the diagonal.
    inertia: NDArray[np.float64]


class ModelBuilder(Methods):
    """A model that is being built: elements are added by a method for each kind, then ``build`` makes the model.

    Elements stay what they are until then: their fields may be changed. Every element knows the line of Python that made it, so
    that problems name that line.
    """

    def __init__(
        self,
        name: str,
        *,
        gravity: Numbers | None = None,
        units: Units | None = None,
        description: str | None = None,
        start: Start | None = None,
        solver: Solver | None = None,
        experiment: Experiment | None = None,
        lint: Lint | None = None,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        self.name = name
        self.gravity = gravity
        self.units = units
        self.description = description
        self.start = start
        self.solver = solver
        self.experiment = experiment
        self.lint = lint
        #: Where the files are to which the model refers.
        self.folder = None if folder is None else Path(folder)
        #: Further fields of the document, such as ``constants`` and ``templates``.
        self.more: dict[str, Any] = {}
        #: The entities by list, such as ``lists["joints"]``; texts are places of instances.
        self.lists: dict[str, list[Any]] = {}
        self.ground = Ground(self)
        self._where = caller()
        self._order: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets a field of the model; a name that it does not have is an error."""
        if name[0] != "_" and name not in _FIELDS:
            raise AttributeError(unknown_field("a model", name, _FIELDS))
        object.__setattr__(self, name, kept(value, lambda: f'model "{self.name}", {name}') if name == "gravity" else value)

    # Elements

    def _put(self, element: Element, into: str | None = None) -> None:
        if not isinstance(element, Element):
            raise Error(f"add: {element!r} is no element; valid: an object of a class of fixstep.elements")
        key = into or element._LIST
        if key is None:
            raise Error(f"{type(element).__name__} is no entity of a model but a part of one; give it to the entity that has it")
        if element._model is not None:
            raise Error(f'{type(element).__name__} "{element}" is in a model already; make another one')
        element._model = self
        self.lists.setdefault(key, []).append(element)

    def add(self, element: E) -> E:
        """Adds an element that was made by its class."""
        self._put(element)
        return element

    def remove(self, element: Element) -> None:
        """Takes an element out of the model. Elements that name it stay."""
        for entities in self.lists.values():
            for k, one in enumerate(entities):
                if one is element:
                    del entities[k]
                    element._model = None
                    return
        raise Error(f'{type(element).__name__} "{element}" is not in the model "{self.name}"')

    @property
    def elements(self) -> Iterator[Element]:
        """All elements, list by list."""
        return (one for entities in self.lists.values() for one in entities if isinstance(one, Element))

    def __getitem__(self, name: str) -> Element:
        """The first element with a name."""
        for one in self.elements:
            if getattr(one, "name", None) == name:
                return one
        from difflib import get_close_matches

        near = get_close_matches(name, [str(one) for one in self.elements], 1)
        hint = f'; did you mean "{near[0]}"?' if near else ""
        raise KeyError(f'the model "{self.name}" has no element "{name}"{hint}')

    # Helpers

    def pair(
        self,
        name: str,
        i: Body | Ground,
        j: Body | Ground,
        at: Numbers | None = None,
        *,
        z_axis: Sequence[float] | None = None,
        x_axis: Sequence[float] | None = None,
    ) -> tuple[Marker, Marker]:
        """Two markers at one place in ground, on two bodies: ``m.revolute("pin", *m.pair("pin", crank, rod, (1, 0, 0)))``."""
        for body in (i, j):
            if not isinstance(body, OnBody):
                raise Error(f'pair "{name}": {body!r} is no body; valid: parts and other bodies of the model, or its ground')
        first = i.marker(name, at, z_axis=z_axis, x_axis=x_axis, in_ground=True)
        return first, j.marker(name, at, z_axis=z_axis, x_axis=x_axis, in_ground=True)

    def mirror(
        self,
        elements: Sequence[Element],
        names: tuple[str, str] | Callable[[str], str] = ("left", "right"),
        *,
        plane: str = "xz",
    ) -> dict[str, Any]:
        """Adds the mirror images of elements, and returns them by name.

        ``names``: what is replaced in each name, by what; or a function. ``plane``: ``xz`` (y → −y), ``yz`` or ``xy`` of ground.
        What mirror images are is that of templates: forces by expressions keep their text.
        """
        from ._place import PLANES, copies, renaming

        if plane not in PLANES:
            raise Error(f'mirror, plane: "{plane}" is no plane of ground; valid: {", ".join(PLANES)}')
        pose = {"mirrored": True} | PLANES[plane]
        return copies(self, elements, renaming(names), pose)

    def copy(
        self,
        elements: Sequence[Element],
        names: tuple[str, str] | Callable[[str], str],
        *,
        position: Numbers | None = None,
        orientation: Element | None = None,
    ) -> dict[str, Any]:
        """Adds copies of elements, turned and then moved in ground, and returns them by name."""
        from ._place import copies, renaming

        pose = {"position": plain(position), "orientation": plain(orientation)}
        return copies(self, elements, renaming(names), {key: value for key, value in pose.items() if value is not None})

    def repeat(
        self,
        elements: Sequence[Element],
        count: int,
        names: Callable[[str, int], str],
        *,
        position: Callable[[int], Numbers] | None = None,
        orientation: Callable[[int], Element] | None = None,
    ) -> list[dict[str, Any]]:
        """Adds ``count`` copies, the k-th (from 1) with the names ``names(name, k)`` at ``position(k)`` and ``orientation(k)``."""
        if isinstance(count, bool) or not hasattr(count, "__index__") or count < 1:
            raise Error(f"repeat, count: {count!r}; valid: a whole number, 1 or more")
        made = []
        for k in range(1, count + 1):
            where = None if position is None else position(k)
            axes = None if orientation is None else orientation(k)
            made.append(self.copy(elements, lambda name, k=k: names(name, k), position=where, orientation=axes))  # type: ignore[misc]
        return made

    def mass_properties(self, body: Body) -> MassProperties:
        """Mass, centre of mass and inertia of a part or point mass of the model [SI]."""
        import numpy as np

        kept = {key: value for key, value in self.to_dict().items() if key in _NEEDED}
        kept[str(body._LIST)] = [body.to_dict()]
        raw, told = _fixstep.RawModel.read("model", _text_of(kept), self.folder)
        if raw is None:
            raise _refused(f'the mass of "{body.name}"', tuple(self._at_home(one) for one in _plain_problems(told)))
        for name, mass, center, (xx, yy, zz, xy, xz, yz) in raw.bodies():
            if name == body.name:
                inertia = np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]]) + 0.0
                return MassProperties(mass, np.array(center), inertia)
        raise Error(f'{type(body).__name__} "{body.name}" has its mass properties in its file')

    # Documents

    def to_dict(self) -> dict[str, Any]:
        """The document of the model format."""
        document: dict[str, Any] = {"fixstep": 1, "name": self.name}
        own = {"description": self.description, "gravity": self.gravity}
        own |= {key: getattr(self, key) for key in OBJECTS}
        document |= {key: plain(value) for key, value in own.items() if value is not None}
        document |= {key: plain(value) for key, value in self.more.items()}
        for key in LISTS:
            entities = self.lists.get(key)
            if entities is not None:
                document[key] = [one.to_dict() if isinstance(one, Element) else plain(one) for one in entities]
        ordered = {key: document.pop(key) for key in self._order if key in document}
        return ordered | document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], *, folder: str | os.PathLike[str] | None = None) -> Self:
        """A builder with the elements of a document. Nothing is lost: ``to_dict`` gives the document back."""
        made = cls(document.get("name", ""), folder=folder)
        made._order = tuple(document)
        for key, value in document.items():
            if key in LISTS and isinstance(value, list):
                entities = made.lists[key] = [decoded(LISTS[key], one) for one in value]
                for one in entities:
                    if isinstance(one, Element):
                        one._model = made
            elif key in OBJECTS:
                setattr(made, key, decoded(OBJECTS[key], value))
            elif key in ("description", "gravity"):
                setattr(made, key, value)
            elif key != "name":
                made.more[key] = value
        return made

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A builder with the elements of a file. Its comments are lost, but nothing that the model means."""
        import json

        text = _read(Path(path))
        try:
            document = json.loads(text)
        except json.JSONDecodeError:
            raw, told = _fixstep.without_comments(str(path), text)
            if raw is None:
                raise _refused(str(path), _plain_problems(told)) from None
            document = json.loads(raw)
        if not isinstance(document, dict):
            raise ModelError(f"{path} is no model: expected an object")
        return cls.from_dict(document, folder=Path(path).parent)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the document, valid or not, in the one form of texts. Files that it refers to stay where they are."""
        Path(path).write_bytes(_text_of(self.to_dict()).encode())

    # Models

    def check(self, *, strict: bool = False) -> tuple[Problem, ...]:
        """All problems and warnings, with the lines of Python that made what they are about."""
        found = _checked("model", _text_of(self.to_dict()), self.folder, strict)
        return tuple(map(self._at_home, found))

    def build(self) -> Model:
        """The model; a ModelError has all its problems, with the lines of Python that made what they are about."""
        raw, told = _fixstep.RawModel.read("model", _text_of(self.to_dict()), self.folder)
        if raw is None:
            raise _refused(f'the model "{self.name}"', tuple(map(self._at_home, _plain_problems(told))))
        model = Model(raw)
        # The elements as they are now, so that the model tells lines of its own.
        now = copy(self)
        now.lists = {key: list(entities) for key, entities in self.lists.items()}
        model._home = now._at_home
        return model

    def run(self, **options: Any) -> Result:
        """Builds the model and runs it; see :func:`fixstep.run`."""
        return self.build().run(**options)

    def simulation(self, **options: Any) -> Simulation:
        """Builds the model and makes a simulation of it; see :meth:`fixstep.Model.simulation`."""
        return self.build().simulation(**options)

    def _at_home(self, problem: Problem) -> Problem:
        """A problem with the place in Python instead of that in the document."""
        place = self._place_of(problem.path)
        return replace(problem, file=place.file, line=place.line, column=0)

    def _place_of(self, path: str) -> Place:
        """Where the innermost object of a path was made."""
        place, value = self._where, None
        entity = _ENTITY.match(path)
        if entity is not None:
            # Warnings name the entity and its field.
            value = self._named(entity[1], entity[2])
            if isinstance(value, Element):
                place = value.made_at
            path = entity[3] or ""
            if value is None:
                return place
        for name, index in _STEP.findall(path):
            if value is None:
                value = self.lists.get(name, getattr(self, name, None) if name in OBJECTS else None)
            elif index:
                value = value[int(index)] if isinstance(value, list | tuple) and int(index) < len(value) else None
            else:
                value = getattr(value, name, getattr(value, name + "_", None))
            if value is None:
                break
            if isinstance(value, Element):
                place = value.made_at
        return place

    def _named(self, kind: str, name: str) -> Any:
        """The entity with a name, of a kind such as ``differential equation``."""
        word = kind.replace(" ", "_")
        lists = {key: entities for key, entities in self.lists.items() if key in (word + "s", word + "es", word[:-1] + "ies")}
        all_ = [one for entities in (lists or self.lists).values() for one in entities]
        return next((one for one in all_ if getattr(one, "name", None) == name), None)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(entities)} {key}" for key, entities in self.lists.items() if entities)
        return f"<fixstep.ModelBuilder {self.name!r}: {counts or 'empty'}>"


#: What a builder has.
_FIELDS = ("name", "gravity", "units", "description", "start", "solver", "experiment", "lint", "folder", "more", "lists", "ground")

#: What the masses of bodies may depend on.
_NEEDED = ("fixstep", "name", "units", "constants", "include", "defaults", "parameters", "arrays", "strings")


def _plain_problems(told: Any) -> tuple[Problem, ...]:
    from ._model import _problems

    return _problems(told)
