"""Writes ``python/fixstep/elements`` from the schema of the model format: ``elements.py [SCHEMA]``.

Each object of the format becomes a class with its fields, types, defaults and texts, so that Python and the model reader have
one vocabulary. The suite compares what this makes of the schema in the wheel with the files.
"""

import json
import keyword
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "fixstep/elements"

#: Files, with the definitions or variants in each. What these use is in the first file that uses it.
FILES = {
    "frames": ("Axes of frames.", ["Orientation"]),
    "solids": ("Solids, from which mass properties follow.", ["Solid"]),
    "bodies": ("Bodies and markers.", ["Part", "PointMass", "FlexibleBody", "Marker"]),
    "shapes": ("Shapes that are only drawn.", ["Look", "LookShape"]),
    "joints": ("Joints and joint primitives.", ["Joint"]),
    "constraints": ("Couplers, gears, general constraints, motions and curves.", ["Coupler", "Gear", "GeneralConstraint", "Motion", "Curve"]),
    "contact": ("Shapes and laws of contacts.", ["ContactShapes", "ContactNormal", "ContactFriction"]),
    "friction": ("Laws of friction and stops of drives.", ["FrictionLaw", "FrictionInput", "FrictionEffect", "DriveStops"]),
    "tyres": ("Roads and laws of tyres.", ["RoadShape", "Road", "TyreLaw", "LowSpeed"]),
    "forces": ("Forces and torques by expressions and loads.", [
        "LineOfSight", "Torque", "ActionOnlyForce", "ActionOnlyTorque", "ModalForce", "VectorForce", "VectorTorque", "GeneralForce"]),
    "springs": ("Force elements.", ["ForceElement"]),
    "signals": ("Parameters, inputs, variables, outputs, data.", [
        "ParameterQuantity", "InputQuantity", "VariableQuantity", "OutputQuantity", "ArrayQuantity", "StringQuantity",
        "MacroText", "SignalGroup", "Spline", "Column", "Places", "Values", "Levels"]),
    "controls": ("Differential equations, controllers, sampled systems, sensors.", [
        "DifferentialEquation", "LinearStateEquation", "TransferFunction", "GeneralStateEquation", "PidController", "SampledSystem", "Sensor"]),
    "requests": ("Requests: groups of outputs.", ["Request"]),
    "settings": ("Units, start, solver, experiment, warnings.", ["Units", "Start", "Solver", "Experiment", "Lint"]),
}

#: What the fields that name entities take; ``x-references`` of the schema has all of them.
REFERENCES = {
    **dict.fromkeys(("i", "j", "axes", "frame", "carrier", "marker", "points"), "MarkerName"),
    **dict.fromkeys(("part", "parts"), "BodyName"),
    **dict.fromkeys(("joint", "joints"), "Joint | str"),
    "force": "ForceElement | str", "motion": "Motion | str", "road": "Road | str", "spline": "Spline | str",
    **dict.fromkeys(("curve", "curve_i", "curve_j"), "Curve | str"),
    **dict.fromkeys(("of", "signals"), "Element | str"),
}

#: Bodies; markers are made on them.
BODIES = ("Part", "PointMass", "FlexibleBody")

#: Fields that the class Entity has.
INHERITED = ("description", "when", "class")

#: Definitions that are types of ``_element``.
KNOWN = {"Number": "Number", "Expression": "Expression"}

#: Units that are words of Python or too short to be told from variables.
UNITS = {"in": "inch", "min": "minute", "h": "hour", "t": "tonne", "g": "gram", "m": "m", "s": "s"}

WIDTH = 118
HEAD = "# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.\n"


class Schema:
    """The schema, and where each class goes."""

    def __init__(self, schema):
        self.schema = schema
        self.defs = {name: own for name, own in schema["$defs"].items() if name not in ("Template", "Instance", "Defaults")}
        missing = set(schema["x-references"]) - set(REFERENCES)
        if missing:
            raise SystemExit(f"python/elements.py: REFERENCES does not say what {', '.join(sorted(missing))} take")
        #: Lists of the document, with their definition.
        self.lists = {}
        for key, own in schema["properties"].items():
            alternatives = own.get("items", {}).get("anyOf", [])
            if alternatives and "$ref" in alternatives[0]:
                self.lists.setdefault(key, reference(alternatives[0]))
        self.places = {}
        for file, (_, roots) in FILES.items():
            for root in roots:
                self.places.setdefault(root, file)
        for file, (_, roots) in FILES.items():
            for root in roots:
                self._place(root, file, set())

    def _place(self, name, file, seen):
        own = self.defs.get(name)
        if own is None or name in seen:
            return
        seen.add(name)
        self.places.setdefault(name, file)
        for variant in own.get("oneOf", []):
            self.places.setdefault(variant["title"], self.places[name])
        for other in references(own):
            if other not in KNOWN:
                self._place(other, self.places.get(other, file), seen)

    def kind(self, name):
        """How a definition is made."""
        own = self.defs[name]
        if "properties" in own:
            return "class"
        if "oneOf" in own:
            return "variants" if "properties" in own["oneOf"][0] else "words"
        return "union"


def reference(schema):
    return schema["$ref"].rsplit("/", 1)[1]


def references(schema):
    """All definitions that a schema names, in its order."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield reference(schema)
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def type_of(schema, names=None):
    """The type of a value; ``names`` is what a text names."""
    if "$ref" in schema:
        name = reference(schema)
        return KNOWN.get(name, name)
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(word) for word in schema['enum'])}]"
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(one, names) for one in schema["anyOf"]))
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if types == ["null"]:
        return "None"
    none = " | None" if "null" in types else ""
    if "array" in types:
        return array_of(schema, names) + none
    own = [word for word in types if word != "null"]
    if own == ["string"]:
        return (names or "str") + none
    if "boolean" in own:
        return ("bool | float | str" if "number" in own else "Flag") + none
    return ("Whole" if "integer" in own else "Number") + none


def array_of(schema, names):
    item = type_of(schema["items"], names)
    if item in ("Number", "Whole"):
        return "Numbers"
    if item in ("Numbers", "Rows"):
        return "Rows"
    return f"Sequence[{item}]"


def python(field):
    return field + "_" if keyword.iskeyword(field) else field


def text(words, indent):
    """A docstring."""
    pad = " " * indent
    words = " ".join(words.split()).replace("\\", "\\\\")
    # A backslash or a quote at the end would join the quotes.
    lines = textwrap.wrap(words, WIDTH - indent - 6, break_long_words=False, break_on_hyphens=False)
    last = ' """' if lines[-1].endswith('"') else '"""'
    return f'{pad}"""' + f"\n{pad}".join(lines) + last + "\n"


def fields_of(schema, own):
    """The fields: name, schema, required."""
    required = set(own.get("required", []))
    order = [field for field in own.get("required", []) if field in own["properties"]]
    order += [field for field in own["properties"] if field not in required]
    return [(field, own["properties"][field], field in required) for field in order if field != "type"]


def class_of(schema, name, of, own, lists):
    """The text of a class."""
    base = "Element"
    if of in lists and all(field in own["properties"] for field in INHERITED):
        base = "Body" if of in BODIES else "Entity"
    word = own["properties"].get("type", {}).get("const")
    lines = ["@dataclass(repr=False)\n", f"class {name}({base}):\n", text(own["description"], 4), "\n"]
    lines.append(f'    _OF: ClassVar[str] = "{of}"\n')
    if word is not None:
        lines.append(f'    _TYPE: ClassVar[str | None] = "{word}"\n')
    if of in lists:
        lines.append(f'    _LIST: ClassVar[str | None] = "{lists[of]}"\n')
    fields = [one for one in fields_of(schema, own) if base == "Element" or one[0] not in INHERITED]
    nested = {}
    for field, value, _ in fields:
        inner = [one for one in references(value) if one not in KNOWN and schema.kind(one) != "words"]
        if inner:
            nested[field] = inner[0]
    if nested:
        items = ", ".join(f'"{field}": "{inner}"' for field, inner in nested.items())
        line = f"    _NESTED: ClassVar[Mapping[str, str]] = {{{items}}}\n"
        if len(line) > WIDTH:
            rows = textwrap.wrap(items, WIDTH - 8, break_on_hyphens=False)
            inside = "".join(f"        {row}\n" for row in rows)
            line = f"    _NESTED: ClassVar[Mapping[str, str]] = {{\n{inside}    }}\n"
        lines.append(line)
    lines.append("\n")
    positional = 0
    for field, value, required in fields:
        if positional == 3 or not required:
            if positional >= 0:
                lines.append("    _: KW_ONLY\n")
            positional = -1
        elif positional >= 0:
            positional += 1
        names = REFERENCES.get(field)
        kind = type_of(value, names)
        if not required and "None" not in kind.split(" | "):
            kind += " | None"
        lines.append(f"    {python(field)}: {kind}{'' if required else ' = None'}\n")
        if "description" in value:
            lines.append(text(value["description"], 4))
    return "".join(lines)


def definition(schema, name, lists):
    """The texts of a definition: classes by name, aliases by name."""
    own = schema.defs[name]
    kind = schema.kind(name)
    if kind == "class":
        return {name: class_of(schema, name, name, own, lists)}, {}
    if kind == "variants":
        made = {one["title"]: class_of(schema, one["title"], name, one, lists) for one in own["oneOf"]}
        return made, {name: " | ".join(made)}
    if kind == "words":
        words = ", ".join(json.dumps(one["const"]) for one in own["oneOf"])
        return {}, {name: f"Literal[{words}]"}
    return {}, {name: type_of(own)}


def alias(schema, name, value):
    about = "".join(f"#: {line}\n" for line in textwrap.wrap(" ".join(schema.defs[name]["description"].split()), WIDTH - 3))
    line = f"{name}: TypeAlias = '{value}'\n" if '"' in value else f'{name}: TypeAlias = "{value}"\n'
    return about + line


def files(schema):
    """All files: names and texts."""
    lists = {}
    for key, of in schema.lists.items():
        lists.setdefault(of, key)
    classes = {file: {} for file in FILES}
    aliases = {file: {} for file in FILES}
    for name in schema.defs:
        if name in KNOWN:
            continue
        made, named = definition(schema, name, lists)
        for title, code in made.items():
            classes[schema.places.get(title, schema.places[name])][title] = code
        for title, code in named.items():
            aliases[schema.places[name]][title] = code
    where = {name: file for file in FILES for name in (*classes[file], *aliases[file])}
    written = {}
    for file, (about, _) in FILES.items():
        body = "\n\n".join(classes[file].values())
        named = "\n".join(alias(schema, name, value) for name, value in aliases[file].items())
        written[f"{file}.py"] = module(about, body, named, file, where)
    written["__init__.py"] = names(schema, where, classes, lists)
    written["_methods.py"] = methods(schema, classes, lists, where)
    return written


def words_in(code):
    """The names that code uses, outside texts."""
    import re

    code = re.sub(r'"""(.|\n)*?"""', "", code)
    code = re.sub(r"#.*", "", code)
    code = re.sub(r"_(OF|TYPE|LIST|NESTED).*?= (\{[^}]*\}|\".*?\")", r"_\1: ", code)
    code = re.sub(r'Literal\[[^]]*\]', "Literal", code)
    return set(re.findall(r"\b[A-Z][A-Za-z]+\b", code))


def module(about, body, named, file, where):
    used = words_in(body + named)
    late = {}
    for name in sorted(used):
        if name in where and where[name] != file:
            late.setdefault(where[name], []).append(name)
    own = [name for name in ("BodyName", "Element", "Expression", "Flag", "MarkerName", "Number", "Numbers", "Rows", "Whole") if name in used]
    now = [name for name in ("Element", "Entity") if f"({name})" in body]
    own = [name for name in own if name not in now]
    lines = [f'"""{about}"""\n\n', HEAD, "\nfrom __future__ import annotations\n\n"]
    later = []
    sequence = ["Mapping"] if "_NESTED" in body else []
    sequence += ["Sequence"] if "Sequence" in body + named else []
    if sequence:
        later.append(f"    from collections.abc import {', '.join(sequence)}\n")
    lines.append("from dataclasses import KW_ONLY, dataclass\n" if "KW_ONLY" in body else "from dataclasses import dataclass\n")
    typing = ["TYPE_CHECKING", "ClassVar"]
    typing += [name for name in ("Literal", "TypeAlias") if name in body + named]
    lines.append(f"from typing import {', '.join(typing)}\n\n")
    if "(Body)" in body:
        lines.append("from .._body import Body\n")
    if now:
        lines.append(f"from .._element import {', '.join(now)}\n")
    if own:
        later.append(f"    from .._element import {', '.join(own)}\n")
    for other, all_names in late.items():
        later.append(f"    from .{other} import {', '.join(all_names)}\n")
    if later:
        lines.append("\nif TYPE_CHECKING:\n" + wrapped(later))
    return "".join(lines) + "\n\n" + body + ("\n\n" + named if named else "")


def wrapped(lines):
    made = []
    for line in lines:
        if len(line) > WIDTH:
            head, _, rest = line.partition(" import ")
            rest = ", ".join(rest.strip().split(", "))
            rows = textwrap.wrap(rest, WIDTH - 8)
            line = f"{head} import (\n" + "".join(f"        {row}\n" for row in rows) + "    )\n"
        made.append(line)
    return "".join(made)


def names(schema, where, classes, lists):
    """The package: all classes, and what reading a document needs."""
    lines = ['"""Typed elements of a model: each object of the model format as a class."""\n\n', HEAD, "\n"]
    everything = []
    for file in FILES:
        own = sorted(name for name, place in where.items() if place == file)
        everything += own
        rows = textwrap.wrap(", ".join(own), WIDTH - 4)
        lines.append(f"from .{file} import (\n" + "".join(f"    {row}\n" for row in rows) + ")\n")
    lines.append("\n#: Definitions that are a choice of objects.\nALTERNATIVES: dict[str, tuple[str, ...]] = {\n")
    for name in schema.defs:
        if name not in KNOWN and schema.kind(name) == "union":
            inner = [one for one in references(schema.defs[name]) if one not in KNOWN and schema.kind(one) in ("class", "variants")]
            if inner:
                lines.append(f'    "{name}": ({", ".join(json.dumps(one) for one in inner)},),\n')
    lines.append("}\n\n#: Lists of a document, in the order of the format, with the definition of their entities.\nLISTS: dict[str, str] = {\n")
    order = [key for key in schema.schema["properties"] if key in schema.lists]
    lines += [f'    "{key}": "{schema.lists[key]}",\n' for key in order]
    lines.append("}\n\n#: Objects of a document that are no lists, with their definition.\nOBJECTS: dict[str, str] = {\n")
    for key, own in schema.schema["properties"].items():
        inner = [reference(one) for one in own.get("anyOf", []) if "$ref" in one]
        lines += [f'    "{key}": "{one}",\n' for one in inner]
    rows = textwrap.wrap(", ".join(json.dumps(name) for name in sorted([*everything, "ALTERNATIVES", "LISTS", "OBJECTS"])), WIDTH - 4)
    lines.append("}\n\n__all__ = [\n" + "".join(f"    {row}\n" for row in rows) + "]\n")
    return "".join(lines)


def snake(name):
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")


def singular(word):
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word == "point_masses":
        return "point_mass"
    return word[:-1]


def methods(schema, classes, lists, where):
    """A method for each kind of entity."""
    lines = ['"""A method of the builder for each kind of entity."""\n\n', HEAD, "\n"]
    body, used, taken = [], {}, set()
    for key in schema.schema["properties"]:
        of = schema.lists.get(key)
        if of is None or lists[of] != key:
            continue
        variants = schema.kind(of) == "variants"
        for own in schema.defs[of]["oneOf"] if variants else [None]:
            title = of if own is None else own["title"]
            word = singular(key) if own is None else own["properties"]["type"]["const"]
            if of == "Request":
                word = snake(title)
            if word in taken:
                raise SystemExit(f"python/elements.py: two methods are called {word}")
            taken.add(word)
            used.setdefault(where[title], []).append(title)
            body.append(f"    {word} = Adds({title})\n")
            # Two lists have the same class.
            for other in (other for other, same in schema.lists.items() if same == of and other != key):
                body.append(f'    {singular(other)} = Adds({title}, "{other}")\n')
    lines.append("from .._adds import Adds\n")
    for file in sorted(used):
        rows = textwrap.wrap(", ".join(sorted(used[file])), WIDTH - 4)
        lines.append(f"from .{file} import (\n" + "".join(f"    {row}\n" for row in rows) + ")\n")
    lines.append('\n\nclass Methods:\n    """Each makes an entity of its class, adds it to the model and returns it."""\n\n')
    return "".join(lines + body)


def units(schema):
    """The short names of units."""
    found = []
    for own in schema.defs["Units"]["properties"].values():
        found += own["examples"]
    lines = [f'{UNITS.get(name, name)} = Unit("{name}")\n' for name in found]
    return "".join(lines)


def main() -> int:
    """Writes the files."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "docs/model.schema.json"
    schema = Schema(json.loads(path.read_text(encoding="utf-8")))
    FOLDER.mkdir(exist_ok=True)
    for name, content in files(schema).items():
        (FOLDER / name).write_text(content, encoding="utf-8")
    place = HERE / "fixstep/units.py"
    head, mark, _ = place.read_text(encoding="utf-8").partition(MARK)
    place.write_text(head + mark + units(schema), encoding="utf-8")
    return 0


#: Behind this line are the units of the schema.
MARK = "# Units of the model format, written by python/elements.py.\n"

if __name__ == "__main__":
    sys.exit(main())
