"""Copies of elements at other places. The model reader moves and mirrors them: they go through it as a template."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import _fixstep
from ._element import Element, caller, decoded, plain
from ._errors import Error
from ._model import _problems, _refused, _text_of
from .elements import LISTS

if TYPE_CHECKING:
    from ._builder import ModelBuilder
    from .elements import Marker

#: A mirror image is y → −y of a template's axes, which are turned so that it is that of another plane.
PLANES: dict[str, dict[str, Any]] = {
    "xz": {},
    "yz": {"orientation": {"quaternion": [0, 0, 0, 1]}},
    "xy": {"orientation": {"quaternion": [0, 1, 0, 0]}},
}

#: The kinds of ports for the lists that they take; other names are found in expressions only.
PORTS = {
    "parts": "part", "point_masses": "part", "flexible_bodies": "part", "markers": "marker", "joints": "joint",
    "forces": "force", "motions": "motion", "inputs": "signal", "parameters": "signal", "variables": "signal",
    "transfer_functions": "signal", "pid_controllers": "signal", "differential_equations": "state",
    "linear_state_equations": "state", "general_state_equations": "state", "sampled_systems": "sampled_system",
    "sensors": "sensor", "arrays": "array", "splines": "spline", "curves": "curve", "roads": "road", "shapes": "shape",
    "strings": "string", "macros": "macro",
}

#: The instance whose entities are the copies.
COPY = "fixstep_copy"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\[\]]*")


def renaming(names: tuple[str, str] | Callable[[str], str]) -> Callable[[str], str]:
    """A function of old names."""
    if callable(names):
        return names
    old, new = names
    return lambda name: name.replace(old, new)


def _texts(value: Any) -> set[str]:
    """All words in the texts of a document that may be names."""
    if isinstance(value, str):
        return {value, *_NAME.findall(value)}
    if isinstance(value, dict):
        return set().union(*map(_texts, value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*map(_texts, value)) if value else set()
    return set()


def _expanded(
    model: ModelBuilder, template: dict[str, Any], instance: dict[str, Any], around: dict[str, Any], what: str
) -> dict[str, Any]:
    """The flat document of one instance of a template; ``what`` it is for, in messages."""
    document = {"fixstep": 1, "name": model.name, **around}
    document["templates"] = [*document.get("templates", []), {"name": COPY, **template}]
    document["instances"] = [{"name": COPY, "template": COPY, **instance}]
    text, told = _fixstep.expanded("copies", _text_of(document), model.folder)
    if text is None:
        place = caller()
        # The names are those of the elements, and the line is that of the call.
        problems = (
            replace(
                one,
                message=one.message.replace(COPY + ".", ""),
                path=one.path.replace(COPY + ".", ""),
                name=one.name.removeprefix(COPY + "."),
                file=place.file,
                line=place.line,
                column=0,
                within=(),
            )
            for one in _problems(told)
        )
        raise _refused(what, tuple(problems))
    found: dict[str, Any] = json.loads(text)
    return found


def _around(model: ModelBuilder) -> dict[str, Any]:
    """What elements may depend on besides other elements."""
    document = {"units": plain(model.units), "constants": model.more.get("constants")}
    return {key: value for key, value in document.items() if value is not None}


def copies(
    model: ModelBuilder, elements: Sequence[Element], rename: Callable[[str], str], pose: dict[str, Any]
) -> dict[str, Any]:
    """Adds copies of elements with other names at another pose."""
    chosen = {id(element) for element in elements}
    template: dict[str, Any] = {}
    around = _around(model)
    outside: dict[str, str] = {}
    own: list[str] = []
    for key, entities in model.lists.items():
        for one in entities:
            if not isinstance(one, Element):
                continue
            name = getattr(one, "name", None)
            if id(one) in chosen:
                chosen.discard(id(one))
                template.setdefault("fmu_parameters" if key == "parameters" else key, []).append(one.to_dict())
                own.append(str(name))
            elif name is not None:
                outside[str(name)] = key
    if chosen:
        raise Error("copies: every element must be in the model; add it first")
    if len(own) != len(set(own)):
        twice = next(name for name in own if own.count(name) > 1)
        raise Error(f'copies: two of the elements are called "{twice}"; copy them one after the other')
    used = _texts(template)
    ports, connected = {}, {}
    for name, key in outside.items():
        if name in used and name not in own and key in PORTS:
            # A port has a plain name; the copy has the real one again.
            ports[name] = PORTS[key]
            connected[name] = name
            around.setdefault(key, []).extend(one.to_dict() for one in model.lists[key] if getattr(one, "name", None) == name)
    _close(model, around, outside)
    word = {name: f"port_{k}" for k, name in enumerate(ports)}
    template = _renamed(template, word)
    if "defaults" in model.more:
        template["defaults"] = plain(model.more["defaults"])
    template["ports"] = {word[name]: kind for name, kind in ports.items()}
    instance = pose | {"ports": {word[name]: name for name in connected}}
    flat = _expanded(model, template, instance, around, "the copy of these elements")
    return _taken(model, flat, [str(one) for one in elements], rename)


def _close(model: ModelBuilder, around: dict[str, Any], outside: dict[str, str]) -> None:
    """Adds the bodies of markers that the copies refer to."""
    for marker in around.get("markers", []):
        body = marker.get("part")
        key = outside.get(body)
        known = {one.get("name") for one in around.get(key or "", [])}
        if key is not None and body not in known:
            around.setdefault(key, []).extend(one.to_dict() for one in model.lists[key] if getattr(one, "name", None) == body)


def _renamed(value: Any, words: dict[str, str]) -> Any:
    """The document with other names, also within texts."""
    if isinstance(value, str):
        if value in words:
            return words[value]
        return _NAME.sub(lambda found: words.get(found[0], found[0]), value)
    if isinstance(value, dict):
        return {key: item if key in ("description", "type") else _renamed(item, words) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, words) for item in value]
    return value


def _taken(model: ModelBuilder, flat: dict[str, Any], own: list[str], rename: Callable[[str], str]) -> dict[str, Any]:
    """Takes the copies out of the flat document, under their new names."""
    words = {}
    taken = {getattr(one, "name", None) for one in model.elements}
    for name in own:
        new = rename(name)
        if new in taken:
            raise Error(f'copies: the copy of "{name}" would be called "{new}", which is a name of the model already; rename it')
        words[f"{COPY}.{name}"] = new
    made: dict[str, Any] = {}
    for key, of in LISTS.items():
        for entity in flat.get(key, []):
            if str(entity.get("name", "")).startswith(COPY + "."):
                element = decoded(of, _renamed(entity, words))
                model._put(element, key)
                made[str(element)] = element
    # In the order in which the elements were given or added, not in that of the lists.
    return {name: made[name] for name in words.values() if name in made}


def into_body(model: ModelBuilder, body: str, marker: Marker) -> None:
    """Turns a marker in the axes of ground into one in those of its body, where the body is at the start."""
    around = _around(model)
    for key in ("parts", "point_masses", "flexible_bodies"):
        for one in model.lists.get(key, []):
            if getattr(one, "name", None) == body:
                around[key] = [one.to_dict()]
    around["parameters"] = [one.to_dict() for one in model.lists.get("parameters", [])]
    given = marker.to_dict() | {"name": marker.name, "part": "body"}
    flat = _expanded(model, {"ports": {"body": "part"}, "markers": [given]}, {"ports": {"body": body}}, around, f'marker "{marker.name}" in the axes of ground')
    found = next(one for one in flat["markers"] if one["name"] == f"{COPY}.{marker.name}")
    marker.position = found.get("position")
    marker.orientation = decoded("Orientation", found.get("orientation"))
