"""What whoever verifies states: the policy that must hold, the data before protection, how data lie in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sordino.errors import InputError

__all__ = ["FORM", "Asked"]

FORM = ("layout", "record", "item", "delimiter", "missing", "kinds")  # how data lie in a file
SAID = {"original": "--original", "missing": "--null"}


@dataclass(frozen=True)
class Asked:
    """What is stated; the manifest's word counts for what is not, as far as one need not trust it.

    `form` holds entries of FORM. It says how the original is read, and must be the form of the published data, which
    are in that of the original.
    """

    policy: Any = None
    original: object = field(default=None, repr=False)
    form: Mapping[str, Any] = field(default_factory=dict)

    def check(self, shape: str, takes: frozenset[str]) -> None:
        """An InputError if something is stated that a release of this shape has no use for."""
        stated = set(self.form) | ({"original"} if self.original is not None else set())
        useless = sorted(SAID.get(name, f"--{name}") for name in stated - takes)
        if useless:
            raise InputError(
                f"{', '.join(useless)} cannot be used with a release of the shape '{shape}'",
                hint="It is checked without." if useless == ["--original"] else None,
            )

    def agrees(self, **published: object) -> None:
        """An InputError if the manifest states another form than is asked for."""
        for name, value in published.items():
            if name in self.form and self.form[name] != value:
                raise InputError(f"the data are published in another form than stated ({name})")
