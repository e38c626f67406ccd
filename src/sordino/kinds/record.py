"""The record of a kind of policy: where all that it means is to be found."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from sordino.errors import InputError
from sordino.kinds.source import Source
from sordino.policy.kinds import Policy

__all__ = ["Kind", "Verbs"]


class Verbs(Protocol):
    """What the module of the verbs must have. Its keyword arguments are the options it takes; others are refused."""

    def read(self, data: Any, policy: Any = None, **options: Any) -> Source:
        """The data, read once, with all that belongs to them; the options say how they lie in their files."""

    def audit(self, source: Source, policy: Any, **options: Any) -> Any:
        """A result with `answer`, `holds`, `remarks`, `seconds` and `to_dict()`.

        Options: top (findings), time_limit (seconds or None), jobs, progress, missing ("error" or "accept").
        """

    def protect(self, source: Source, policy: Any, **options: Any) -> Any:
        """A release with `write(folder, force, jobs=, progress=)`, `audit_before`, `audit_after` and `summary()`.

        Options: method (a Method of the registry), seed, jobs, progress, ids (None: the default), missing, options (of
        the method, a dict).
        """

    def measure(self, source: Source, after: object, policy: Any, **options: Any) -> Any:
        """A cost with `to_dict()` and `summary()`; `after` is data or a release folder, the policy may be None.

        Options: jobs, progress, missing, and whatever else the kind measures by.
        """


@dataclass(frozen=True)
class Kind:
    """What a kind of policy means by each verb, as names of modules and classes that are loaded when they are needed.

    policy: the class of its policies, which names its reader and writer of policy.toml; data: the class of its data, by
    which they are known where no policy is stated; verbs: see `Verbs`; commands: its options and pages on the command
    line (cli/commands.py); compare: its part in a comparison (compare/run.py), None if it has none; proofs: `read` and
    `verify` for data with a proof, independent of the other verbs, None if there are no proofs; method: the one that
    protects unless another is stated, and `method_where` for policies in which this attribute is not None.
    """

    name: str
    policy: str
    data: str
    verbs: str
    commands: str
    method: str
    compare: str | None = None
    proofs: str | None = None
    method_where: Mapping[str, str] = field(default_factory=dict)

    def load_policy(self) -> type[Policy]:
        return cast(type[Policy], _load(self.policy))

    def load_data(self) -> type:
        return cast(type, _load(self.data))

    def load_verbs(self) -> Verbs:
        return cast(Verbs, importlib.import_module(self.verbs))

    def load_commands(self) -> Any:
        return importlib.import_module(self.commands)

    def load_compare(self) -> Any:
        return None if self.compare is None else importlib.import_module(self.compare)

    def load_proofs(self) -> Any:
        if self.proofs is None:
            raise InputError("only baskets have proofs beside them; verify the release folder instead")
        return importlib.import_module(self.proofs)

    def default_method(self, policy: object) -> str:
        """The name of the method that is taken for a policy if none is stated."""
        special = (name for what, name in self.method_where.items() if getattr(policy, what, None) is not None)
        return next(special, self.method)


def _load(name: str) -> object:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)
