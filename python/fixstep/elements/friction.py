"""Laws of friction and stops of drives."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from .._element import Element

if TYPE_CHECKING:
    from .._element import Number


@dataclass(repr=False)
class DriveStops(Element):
    """Stops at the ends of a coordinate: the force of IMPACT at each end."""

    _OF: ClassVar[str] = "DriveStops"

    lower: Number
    """Lower end [length or angle]."""
    upper: Number
    """Upper end, more than the lower [length or angle]."""
    stiffness: Number
    """Stiffness, zero or more: the effort at one unit of penetration [force/length^exponent, or
    force·length/angle^exponent]."""
    _: KW_ONLY
    depth: Number
    """Penetration from which damping has its full value, more than zero [length or angle]."""
    damping: Number | None = None
    """Damping, zero or more [force·time/length, or force·length·time/angle]. Default: 0."""
    exponent: Number | None = None
    """Exponent, 1 or more. Default: 1.5."""


@dataclass(repr=False)
class CoulombFriction(Element):
    """Smooth Coulomb friction."""

    _OF: ClassVar[str] = "FrictionLaw"
    _TYPE: ClassVar[str | None] = "coulomb"

    stiction_velocity: Number
    """Slip velocity at which friction is largest, more than zero [length/time]."""
    _: KW_ONLY
    friction_velocity: Number | None = None
    """Slip velocity from which friction is dynamic, more than the stiction velocity [length/time]. Default: 1.5
    times the stiction velocity."""


@dataclass(repr=False)
class LuGreFriction(Element):
    """The LuGre model, whose bristles have a state each."""

    _OF: ClassVar[str] = "FrictionLaw"
    _TYPE: ClassVar[str | None] = "lugre"

    bristle_stiffness: Number
    """Coefficient of friction per length by which the bristles bend, more than zero [1/length]: `mu_static` over
    the travel up to break-away."""
    stribeck_velocity: Number
    """Slip velocity at which 37 % (1/e) of the difference between `mu_static` and `mu_dynamic` is left, more than
    zero [length/time]."""
    _: KW_ONLY
    bristle_damping: Number | None = None
    """Coefficient of friction per rate of bending, zero or more [time/length], of a joint that sticks. It
    decreases at slip velocities above the Stribeck velocity. Default: 0."""


#: Kinds of friction that act.
FrictionEffect: TypeAlias = 'Literal["all", "stiction", "sliding"]'

#: Loads that cause friction in a joint.
FrictionInput: TypeAlias = 'Literal["preload", "reaction_force", "bending_moment", "torsional_moment"]'

#: Coefficient of friction as a function of the slip velocity.
FrictionLaw: TypeAlias = "CoulombFriction | LuGreFriction"
