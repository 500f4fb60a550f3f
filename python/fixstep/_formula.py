"""Formulas of variables, as texts: read once, computed for many instances at a time."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import Error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Compute = Callable[[Mapping[str, Array]], Array]

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs, "acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "atan2": np.arctan2, "clip": np.clip,
    "cos": np.cos, "exp": np.exp, "floor": np.floor, "hypot": np.hypot, "log": np.log, "max": np.maximum,
    "min": np.minimum, "sign": np.sign, "sin": np.sin, "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh,
    "where": np.where,
}  # fmt: skip
#: How many arguments functions take that take more than one.
_COUNTS = {"atan2": 2, "clip": 3, "hypot": 2, "max": 2, "min": 2, "where": 3}
_UNARY: dict[type, Callable[..., Any]] = {ast.USub: np.negative, ast.UAdd: np.positive, ast.Not: np.logical_not}
_BINARY: dict[type, Callable[..., Any]] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Pow: np.power, ast.Mod: np.mod,
}  # fmt: skip
_COMPARED: dict[type, Callable[..., Any]] = {
    ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal, ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}  # fmt: skip
_VALID = f"valid: numbers, pi, names of variables, + - * / ** %, comparisons, and, or, not, if else, {', '.join(_FUNCTIONS)}"


class Formula:
    """A formula such as ``"-(angle**2 + 0.1*speed**2)"``; names may have points and indices, as those of variables have."""

    def __init__(self, text: str, what: str, known: Callable[[str], bool]) -> None:
        self.text, self._what = text, what
        #: The variables, each once.
        self.names: list[str] = []
        self._known = known
        try:
            tree = ast.parse(text.strip(), mode="eval")
        except (SyntaxError, ValueError) as error:
            raise Error(f'{what}: "{text}" is no formula: {getattr(error, "msg", error)}; {_VALID}') from None
        self._compute = self._read(tree.body)

    def __call__(self, values: Mapping[str, Array]) -> Array:
        return self._compute(values)

    def _fault(self, node: ast.AST) -> Error:
        part = ast.unparse(node)
        return Error(f'{self._what}: "{part}" in "{self.text}"; {_VALID}')

    def _read(self, node: ast.expr) -> Compute:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            number = np.float64(node.value) if not isinstance(node.value, bool) else np.bool_(node.value)
            return lambda values: np.asarray(number)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            return self._variable(node)
        parts: list[Compute]
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            return _apply(_BINARY[type(node.op)], [self._read(node.left), self._read(node.right)])
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Invert):
            return _apply(_UNARY[type(node.op)], [self._read(node.operand)])
        if isinstance(node, ast.BoolOp):
            function: Callable[..., Any] = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            parts = [self._read(part) for part in node.values]
            whole = parts[0]
            for part in parts[1:]:
                whole = _apply(function, [whole, part])
            return whole
        if isinstance(node, ast.Compare) and all(type(op) in _COMPARED for op in node.ops):
            parts = [self._read(part) for part in (node.left, *node.comparators)]
            pairs = [_apply(_COMPARED[type(op)], parts[k : k + 2]) for k, op in enumerate(node.ops)]
            whole = pairs[0]
            for pair in pairs[1:]:
                whole = _apply(np.logical_and, [whole, pair])
            return whole
        if isinstance(node, ast.IfExp):
            return _apply(np.where, [self._read(part) for part in (node.test, node.body, node.orelse)])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            name = node.func.id
            if name in _FUNCTIONS and len(node.args) == _COUNTS.get(name, 1):
                return _apply(_FUNCTIONS[name], [self._read(part) for part in node.args])
        raise self._fault(node)

    def _variable(self, node: ast.expr) -> Compute:
        name = ast.unparse(node)
        if name == "pi" and not self._known(name):
            return lambda values: np.asarray(np.pi)
        if name not in self.names:
            self.names.append(name)
        return lambda values: values[name]


def _apply(function: Callable[..., Any], parts: list[Compute]) -> Compute:
    if len(parts) == 1:
        (only,) = parts
        return lambda values: function(only(values))
    return lambda values: function(*(part(values) for part in parts))
