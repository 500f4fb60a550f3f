"""Parameters, inputs, variables, outputs, data."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from .._element import Element, Entity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from .._element import Expression, Flag, Number, Numbers, Rows, Whole


@dataclass(repr=False)
class ArrayQuantity(Entity):
    """An array of parameters. In the FMU they are `name[1]`, `name[2]` and so on."""

    _OF: ClassVar[str] = "ArrayQuantity"
    _LIST: ClassVar[str | None] = "arrays"

    name: str
    """Name."""
    start: Numbers
    """The values, in the array's own unit."""
    _: KW_ONLY
    tunable: Flag | None = None
    """Can the values change between steps? Default: false, they are fixed after initialization."""
    unit: str | None = None
    """FMI unit of the values: a label, never converted."""


@dataclass(repr=False)
class InputQuantity(Entity):
    """An input of the FMU. Expressions refer to it by name."""

    _OF: ClassVar[str] = "InputQuantity"
    _LIST: ClassVar[str | None] = "inputs"

    name: str
    """Name, also in the FMU."""
    _: KW_ONLY
    display_unit: str | None = None
    """Unit in which tools show the value."""
    max: Number | None = None
    """Upper bound."""
    min: Number | None = None
    """Lower bound."""
    start: Number | None = None
    """Value at the start, in the input's own unit. Default: 0."""
    unit: str | None = None
    """FMI unit of the value, such as `mm`: a label, never converted."""


@dataclass(repr=False)
class MacroText(Entity):
    """A macro: a function defined in the model. Its text replaces each call in an expression."""

    _OF: ClassVar[str] = "MacroText"
    _LIST: ClassVar[str | None] = "macros"

    name: str
    """Name, which expressions call as a function."""
    arguments: Sequence[str]
    """Names of the arguments. A call gives an expression, a marker or another name for each."""
    expression: str
    """The text that replaces a call."""


@dataclass(repr=False)
class OutputQuantity(Entity):
    """An output of the FMU."""

    _OF: ClassVar[str] = "OutputQuantity"
    _LIST: ClassVar[str | None] = "outputs"

    name: str
    """Name in the FMU."""
    expression: Expression
    """The expression, in user units, angles in radians."""
    _: KW_ONLY
    display_unit: str | None = None
    """Unit in which tools show the value."""
    max: Number | None = None
    """Upper bound."""
    min: Number | None = None
    """Lower bound."""
    unit: str | None = None
    """FMI unit of the value, such as `N.m`: a label, never converted."""


@dataclass(repr=False)
class ParameterQuantity(Entity):
    """A parameter: a number that the importer of the FMU may set. Expressions and `"=expression"` numbers refer to
    it by name."""

    _OF: ClassVar[str] = "ParameterQuantity"
    _LIST: ClassVar[str | None] = "parameters"

    name: str
    """Name, also in the FMU."""
    start: Number
    """Value, in the parameter's own unit."""
    _: KW_ONLY
    display_unit: str | None = None
    """Unit in which tools show the value."""
    max: Number | None = None
    """Upper bound."""
    min: Number | None = None
    """Lower bound."""
    tunable: Flag | None = None
    """Can the value change between steps? Default: false, it is fixed after initialization."""
    unit: str | None = None
    """FMI unit of the value, such as `N/mm`: a label, never converted."""


@dataclass(repr=False)
class SignalGroup(Entity):
    """A group of signals: the inputs of a plant, or its outputs."""

    _OF: ClassVar[str] = "SignalGroup"
    _LIST: ClassVar[str | None] = "plant_inputs"

    name: str
    """Name."""
    signals: Sequence[Element | str]
    """Names of inputs, parameters or variables."""


@dataclass(repr=False)
class Spline(Element):
    """A curve through points, or a surface of such curves, for the functions `AKISPL`, `CUBSPL` and `INTERP`.
    Plain numbers without units."""

    _OF: ClassVar[str] = "Spline"
    _LIST: ClassVar[str | None] = "splines"
    _NESTED: ClassVar[Mapping[str, str]] = {"x": "Places", "y": "Values", "z": "Levels"}

    name: str
    """Name."""
    _: KW_ONLY
    class_: str | None = None
    """The class whose defaults it has, besides those of its kind. Default: none."""
    ends: str | None = None
    """Ends of the cubic of CUBSPL: natural (curvature zero) or fmm (third derivative of the cubic through the four
    points at the end). Default: natural."""
    extrapolation: str | None = None
    """Extrapolation beyond the first and last x: linear (along the tangent) or constant. Default: linear."""
    file: str | None = None
    """CSV file beside the model that holds the points; x and y then name its columns."""
    when: bool | float | str | None = None
    """Is the entity there? true, false, or a number, which is false if it is 0. Default: true."""
    x: Places | None = None
    """The x values, increasing; with a file, the name or number of their column. Default with a file: column 1."""
    y: Values | None = None
    """The values: one for each x; with z, an array of them for each z. With a file, the column or columns. Default
    with a file: column 2; of a surface all columns but that of x."""
    z: Levels | None = None
    """Values of the second variable of a surface, increasing; between them the surface is linear. With a file,
    `header`: they are the names of the y columns."""


@dataclass(repr=False)
class StringQuantity(Entity):
    """A named text for messages of sensors and names of files, which refer to it as `"=name"`."""

    _OF: ClassVar[str] = "StringQuantity"
    _LIST: ClassVar[str | None] = "strings"

    name: str
    """Name."""
    start: str
    """The text."""


@dataclass(repr=False)
class VariableQuantity(Entity):
    """A named number for use in expressions: either the value of an `expression`, or an implicit variable, the
    solution of `residual` = 0."""

    _OF: ClassVar[str] = "VariableQuantity"
    _LIST: ClassVar[str | None] = "variables"

    name: str
    """Name."""
    _: KW_ONLY
    expression: Expression | None = None
    """The expression, in user units, angles in radians."""
    initial: Number | None = None
    """For an implicit variable: initial guess of its value at the start. Default: 0."""
    residual: Expression | None = None
    """An expression that reads the variable by its name and is zero at the variable's value. The variable is
    solved for together with the mechanism."""
    unit: str | None = None
    """Unit of the value: a label."""


#: A column of a CSV file.
Column: TypeAlias = "str | Whole"

#: The second variable of a surface.
Levels: TypeAlias = "Numbers | str"

#: The x values of a spline.
Places: TypeAlias = "Numbers | Column"

#: The values of a spline.
Values: TypeAlias = "Numbers | Rows | Column | Sequence[Column]"
