"""The verbs for each kind of policy: one module a kind, found here by its name and loaded when it is needed.

`sordino.audit` and its sisters, and the commands, look here for what a policy's kind means by the verb. Adding a kind:
see CONTRIBUTING.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, cast

from sordino.errors import InputError, PolicyError, SordinoError, did_you_mean

__all__ = ["VERBS", "Verbs", "check_missing", "fitting", "verbs_for_measure", "verbs_of"]

VERBS: Mapping[str, str] = {
    "inference": "sordino.kinds.inference",
    "template": "sordino.kinds.template",
    "diversity": "sordino.kinds.diversity",
}


class Verbs(Protocol):
    """What the module of a kind must have. Options that a kind has no use for are an InputError, not ignored."""

    def read(self, data: object, **form: Any) -> Any:
        """The data, from whatever the kind's reader takes; `form` says how they lie in a file."""

    def audit(self, data: Any, policy: Any, **options: Any) -> Any:
        """A result with `holds`, `remarks`, `seconds` and `to_dict()`.

        Options: top (findings), time_limit (seconds or None), jobs, progress, missing ("error" or "accept").
        """

    def protect(self, data: Any, policy: Any, **options: Any) -> Any:
        """A release with `write(folder, force, jobs=, progress=)`, `audit_before`, `audit_after` and `summary()`.

        Options: method (None: the kind's default), seed, jobs, progress, ids (None: the default), missing, options (of
        the method, a dict).
        """

    def measure(self, before: Any, after: object, policy: Any, **options: Any) -> Any:
        """A cost with `to_dict()` and `summary()`; `after` is data or a release folder, the policy may be None."""


def verbs_for_measure(before: object, after: object, policy: object | None) -> Verbs:
    """The verbs for a comparison: by its policy, by the release it is about, or by what the data are."""
    if policy is None and isinstance(after, str | os.PathLike) and Path(after).is_dir():
        from sordino.verify.folder import published_part
        from sordino.verify.manifest_file import read_manifest

        with contextlib.suppress(SordinoError):  # whoever reads the folder will say what is wrong with it
            policy = read_manifest(published_part(after)).policy
    if policy is not None:
        return verbs_of(policy)
    from sordino.data.table import Table

    return _load("template" if isinstance(before, Table) else "inference")


def verbs_of(policy: object) -> Verbs:
    """The verbs for the kind of this policy."""
    kind = getattr(policy, "kind", None)
    if not isinstance(kind, str) or kind not in VERBS:
        raise PolicyError([f"this is no policy: {type(policy).__name__}"])
    return _load(kind)


def fitting(verb: Callable[..., Any], options: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """The options, if the verb of this kind takes them all; an InputError otherwise: none is ignored."""
    known = [name for name, p in inspect.signature(verb).parameters.items() if p.kind is p.KEYWORD_ONLY]
    wrong = [name for name in options if name not in known]
    if wrong:
        near = did_you_mean(wrong[0], known)
        raise InputError(
            f"{verb.__name__} has no option '{wrong[0]}' under policies of kind '{kind}'.{near}",
            hint=f"Options: {', '.join(known)}.",
        )
    return options


def check_missing(missing: str) -> None:
    """An InputError unless it says what becomes of names that occur nowhere."""
    if missing not in ("error", "accept"):
        raise InputError(f"missing cannot be {missing!r}", hint='Possible: "error", "accept".')


def _load(kind: str) -> Verbs:
    return cast(Verbs, importlib.import_module(VERBS[kind]))
