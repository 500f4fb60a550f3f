"""Differential equations, controllers, sampled systems, sensors."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

from .._element import Element, Entity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from .._element import Expression, Flag, Number, Numbers, Rows


@dataclass(repr=False)
class DifferentialEquation(Entity):
    """A differential equation of first order with one state, coupled with the mechanism. Expressions read the
    state as `DIF(name)` and its rate as `DIF1(name)`."""

    _OF: ClassVar[str] = "DifferentialEquation"
    _LIST: ClassVar[str | None] = "differential_equations"

    name: str
    """Name."""
    _: KW_ONLY
    derivative: Expression | None = None
    """The rate of the state, per time unit: an expression in user units, angles in radians. It can read the
    mechanism, inputs and all states."""
    hold_states: Flag | None = None
    """Does the state keep its initial value in static equilibrium? Default: false, it takes the value for which
    its rate is zero."""
    initial: Number | None = None
    """The state at the start. Default: 0."""
    initial_rate: Number | None = None
    """With `residual`: initial guess of the rate at the start, per time unit. Default: 0."""
    residual: Expression | None = None
    """Instead of `derivative`: an expression of the state `DIF(name)` and its rate `DIF1(name)` that is zero."""
    steady: Flag | None = None
    """Does the state start at a value for which its rate is zero in the initial state of the mechanism? Default:
    false."""
    unit: str | None = None
    """FMI unit of the state: a label, never converted."""


@dataclass(repr=False)
class GeneralState(Element):
    """A state of a general state equation."""

    _OF: ClassVar[str] = "GeneralState"

    derivative: Expression
    """Its rate, per time unit: an expression."""
    _: KW_ONLY
    initial: Number | None = None
    """The state at the start. Default: 0."""
    unit: str | None = None
    """FMI unit of the state: a label, never converted."""


@dataclass(repr=False)
class GeneralStateEquation(Entity):
    """A general state equation: states and outputs by expressions. They read state i as `DIF(name, i)`, output i
    as `ARYVAL(name, i)`, and everything that the expression of a force can read."""

    _OF: ClassVar[str] = "GeneralStateEquation"
    _LIST: ClassVar[str | None] = "general_state_equations"
    _NESTED: ClassVar[Mapping[str, str]] = {"states": "GeneralState"}

    name: str
    """Name."""
    states: Sequence[GeneralState]
    """The states."""
    _: KW_ONLY
    hold_states: Flag | None = None
    """Do the states keep their initial values in static equilibrium? Default: false."""
    outputs: Sequence[Expression] | None = None
    """The outputs: expressions. Default: none."""
    steady: Flag | None = None
    """Do the states start at values for which their rates are zero in the initial state of the mechanism? Default:
    false."""


@dataclass(repr=False)
class LinearStateEquation(Entity):
    """A linear state equation dx/dt = A x + B u, y = C x + D u. Expressions read output i as `ARYVAL(name, i)`,
    state i as `DIF(name, i)`."""

    _OF: ClassVar[str] = "LinearStateEquation"
    _LIST: ClassVar[str | None] = "linear_state_equations"

    name: str
    """Name."""
    a: Rows
    """A, by rows [1/time]."""
    _: KW_ONLY
    b: Rows | None = None
    """B, by rows [1/time]. Default: 0."""
    c: Rows | None = None
    """C, by rows. Default: 0; without C and D the outputs are the states."""
    d: Rows | None = None
    """D, by rows. Default: 0."""
    hold_states: Flag | None = None
    """Do the states keep their initial values in static equilibrium? Default: false."""
    initial: Numbers | None = None
    """The states at the start, a number for each. Default: 0."""
    inputs: Sequence[Expression] | None = None
    """The inputs u: expressions. Default: none."""
    steady: Flag | None = None
    """Do the states start at values for which their rates are zero in the initial state of the mechanism? Default:
    false."""


@dataclass(repr=False)
class PidController(Entity):
    """A PID controller with filtered derivative, limits and anti-windup. Expressions read its output by its name."""

    _OF: ClassVar[str] = "PidController"
    _LIST: ClassVar[str | None] = "pid_controllers"

    name: str
    """Name."""
    setpoint: Expression
    """Setpoint of the measured value: an expression."""
    measured: Expression
    """The measured value: an expression."""
    _: KW_ONLY
    kp: Number
    """Proportional gain [output/error]."""
    derivative_filter: Number | None = None
    """Time constant of the derivative's filter, more than zero [time]; needed with `kd`."""
    derivative_weight: Number | None = None
    """Weight of the setpoint in the derivative part. Default: 0."""
    hold_states: Flag | None = None
    """Does the integral part keep its initial value in static equilibrium? Default: false."""
    initial: Number | None = None
    """The integral part at the start [output]. Default: 0."""
    kd: Number | None = None
    """Derivative gain [output·time/error]. Default: no derivative part."""
    ki: Number | None = None
    """Integral gain [output/(error·time)]. Default: no integral part."""
    maximum: Number | None = None
    """Upper limit of the output. Default: none."""
    minimum: Number | None = None
    """Lower limit of the output. Default: none."""
    setpoint_weight: Number | None = None
    """Weight of the setpoint in the proportional part. Default: 1."""
    smoothing: Number | None = None
    """Width over which the output approaches a limit smoothly, zero or more [output]. Default: 1 % of the distance
    between both limits; 0 with one limit."""
    tracking_time: Number | None = None
    """Time constant with which the integral part follows an output at its limit (anti-windup), more than zero
    [time]. Default: SQRT(kd/ki); without `kd` kp/ki."""
    unit: str | None = None
    """FMI unit of the output: a label, never converted."""


@dataclass(repr=False)
class SampledSystem(Entity):
    """A discrete-time system: a controller, a filter, an estimator. It samples its inputs at `offset` + k ·
    `sample_period` after the start and holds its outputs between samples. It is given by the matrices `a`, `b`,
    `c`, `d`, or by the expressions `next` and `outputs`."""

    _OF: ClassVar[str] = "SampledSystem"
    _LIST: ClassVar[str | None] = "sampled_systems"

    name: str
    """Name."""
    sample_period: Number
    """Time between two samples, more than zero [time]."""
    _: KW_ONLY
    a: Rows | None = None
    """A of x[k+1] = A x[k] + B u[k], by rows."""
    b: Rows | None = None
    """B, by rows. Default: 0."""
    c: Rows | None = None
    """C of y[k] = C x[k] + D u[k], by rows. Default: 0."""
    d: Rows | None = None
    """D, by rows. Default: 0."""
    initial: Numbers | None = None
    """The states before the first sample, a number for each. Default: 0."""
    inputs: Sequence[Expression] | None = None
    """The inputs u: expressions. Default: none."""
    next: Sequence[Expression] | None = None
    """The next states, an expression for each; they read the present states as `SAMSTA(name, i)` and the sampled
    inputs as `SAMINP(name, i)`."""
    offset: Number | None = None
    """Time of the first sample after the start, zero or more [time]. Default: 0."""
    outputs: Sequence[Expression] | None = None
    """The outputs, an expression for each, of the same quantities."""


@dataclass(repr=False)
class Sensor(Entity):
    """Evaluates an expression at the end of every step and acts when it reaches a value."""

    _OF: ClassVar[str] = "Sensor"
    _LIST: ClassVar[str | None] = "sensors"

    name: str
    """Name."""
    expression: Expression
    """The expression."""
    comparison: str
    """Condition that triggers the sensor: ge (at or above the value), le (at or below it), eq (at the value, or
    passed it since the previous step)."""
    _: KW_ONLY
    evaluate: Expression | None = None
    """Expression whose value, when the sensor triggers, becomes `SENVAL(name)`. Default: 1."""
    hysteresis: Number | None = None
    """Distance behind the threshold at which the sensor is armed again, zero or more. Without this field a sensor
    triggers once."""
    message: str | None = None
    """Message when the sensor triggers, or `"=name"` of a string. Default: none."""
    reset: Flag | None = None
    """Does `SENVAL(name)` return to zero when the sensor is armed again? Default: false."""
    stop: Flag | None = None
    """Does the run end when the sensor triggers? Default: false."""
    tolerance: Number | None = None
    """Distance from the threshold at which the sensor already triggers, zero or more. Default: 0."""
    value: Number | None = None
    """The threshold, in the unit of the expression. Default: 0."""


@dataclass(repr=False)
class TransferFunction(Entity):
    """A transfer function from one input to one output: a quotient of polynomials in s. Expressions read the
    output by its name."""

    _OF: ClassVar[str] = "TransferFunction"
    _LIST: ClassVar[str | None] = "transfer_functions"

    name: str
    """Name."""
    input: Expression
    """The input: an expression."""
    numerator: Numbers
    """Coefficients of the numerator by rising powers of s [time^power]."""
    _: KW_ONLY
    denominator: Numbers
    """Coefficients of the denominator, likewise; at least as many as the numerator has."""
    hold_states: Flag | None = None
    """Do the states keep their initial values, zero, in static equilibrium? Default: false."""
    steady: Flag | None = None
    """Do the states start at values for which their rates are zero, so that the output is the input times the gain
    at s = 0? Default: false, they start at zero."""
