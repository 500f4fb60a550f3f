"""Pages in notebooks: a page in a frame, without a widget framework."""

from __future__ import annotations

import html
import os
from pathlib import Path


class Page:
    """A page of a run: mechanism, plots, figures, in one file that needs no network."""

    def __init__(self, text: str, height: int = 600) -> None:
        #: The text of the page.
        self.html = text
        self._height = height

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page."""
        path = Path(path)
        path.write_text(self.html, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        source = html.escape(self.html, quote=True)
        return (
            f'<iframe srcdoc="{source}" width="100%" height="{self._height}" '
            'style="border:0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<fixstep.Page of {len(self.html) / 1e3:.0f} kB; save(path) writes it>"
