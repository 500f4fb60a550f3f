"""Pictures of analyses with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import Error

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from ._linear import LinearForm, Modes, Response
    from ._tools import Advice


def pyplot() -> Any:
    """The module of matplotlib."""
    try:
        from matplotlib import pyplot as found
    except ImportError:
        raise Error("plot needs matplotlib: pip install matplotlib") from None
    return found


def panels(axes: Any, rows: int, what: str) -> list[Any]:
    """Axes that were given, or new ones one above the other."""
    if axes is None:
        _, axes = pyplot().subplots(rows, 1, sharex=True, squeeze=False, figsize=(7, 1.4 + 2.4 * rows), layout="constrained")
    found = list(np.ravel(np.asarray(axes, object)))
    if len(found) < rows:
        raise Error(f"axes: {len(found)} for {what}; valid: {rows}")
    for panel in found[:rows]:
        panel.grid(visible=True, alpha=0.3)
    return found


def _plane(roots: NDArray[np.complex128], axes: Any, title: str) -> Any:
    """Roots in the complex plane, in Hz across and up."""
    (panel, *_) = panels(axes, 1, "the complex plane")
    hertz = roots / (2 * np.pi)
    panel.axvline(0.0, color="0.5", linewidth=0.8)
    panel.plot(hertz.real, hertz.imag, "x", markersize=8, markeredgewidth=1.5)
    panel.set_xlabel("real part / 2π [1/s]")
    panel.set_ylabel("imaginary part / 2π [Hz]")
    panel.set_title(title)
    return panel


def of_form(form: LinearForm, axes: Any) -> Figure:
    """The poles of a linear form."""
    panel = _plane(form.poles, axes, f"{len(form.poles)} poles at {form.time:g} s")
    figure: Figure = panel.figure
    return figure


def of_modes(modes: Modes, axes: Any) -> Figure:
    """The eigenvalues of modes, one of each pair, with their numbers."""
    roots = modes.eigenvalues
    panel = _plane(roots, axes, f"{len(modes)} modes at {modes.time:g} s")
    for mode, root in zip(modes, roots, strict=True):
        place = (root.real / (2 * np.pi), root.imag / (2 * np.pi))
        text = f" {mode['mode']}: {mode['frequency_hz']:.3g} Hz"
        panel.annotate(text, place, fontsize="small", va="bottom")
    panel.margins(0.15)
    figure: Figure = panel.figure
    return figure


def of_response(response: Response, names: Sequence[str], by: str | None, axes: Any) -> Figure:
    """Magnitude and phase."""
    if by is None:
        if len(response.inputs) > 1:
            raise Error(f"plot: there are several inputs; valid: by= one of {', '.join(response.inputs)}")
        by = response.inputs[0] if response.inputs else ""
    upper, lower, *_ = panels(axes, 2, "magnitude and phase")
    for name in names or response.outputs:
        values = response[name, by]
        unit = response.units.get((name, by), "")
        upper.loglog(response.frequencies, np.abs(values), label=f"{name} [{unit}]" if unit else name)
        lower.semilogx(response.frequencies, np.degrees(np.unwrap(np.angle(values))), label=name)
    upper.set_ylabel("magnitude")
    upper.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize="small")
    upper.set_title(f"response by {by}" if by else "response")
    lower.set_ylabel("phase [°]")
    lower.set_xlabel("frequency [Hz]")
    figure: Figure = upper.figure
    return figure


def of_advice(advice: Advice, axes: Any) -> Figure:
    """Error over the real-time index of every setting that was measured, with those that none beats in both, and the choice."""

    def place(row: Any) -> tuple[float, float] | None:
        found = row["found"].get("measured")
        if found is None or found["error"] <= 0 or found["rti"] <= 0:
            return None
        return float(found["rti"]), 100 * float(found["error"])

    rows = advice["rows"]
    places = [place(row) for row in rows]
    measured = [one for one in places if one is not None]
    if not measured:
        raise Error("plot: no setting was measured; the rows of the advice say why")
    (panel, *_) = panels(axes, 1, "error over time")
    panel.loglog(*zip(*measured, strict=True), ".", color="0.6", markersize=4, label=f"{len(measured)} settings")
    front = sorted(one for one in (places[int(k)] for k in advice["front"]) if one is not None)
    if front:
        panel.loglog(*zip(*front, strict=True), "o-", markersize=4, linewidth=0.8, label="none is better in both")
    choice = advice["choice"]
    if choice is not None:
        panel.loglog([choice["rti"]], [100 * choice["measured"]], "*", color="k", markersize=12, label=choice["family"])
    if advice["accuracy"] is not None:
        panel.axhline(100 * advice["accuracy"], color="0.5", linewidth=0.8, linestyle="--", label="wanted accuracy")
    panel.margins(0.08)
    panel.set_xlabel("real-time index")
    panel.set_ylabel("error of the worst output [% of its range]")
    panel.legend(loc="best", fontsize="small")
    panel.set_title(str(advice["model"]))
    figure: Figure = panel.figure
    return figure
