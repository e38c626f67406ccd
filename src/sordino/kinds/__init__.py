"""The kinds of policy there are: one record each, and nothing else in the house knows them by name.

`sordino.audit` and its sisters, and the commands, go through kinds/verbs.py, which looks here for what a policy's kind
means by the verb. Adding a kind: its modules, and a record here (CONTRIBUTING has the list).
"""

from __future__ import annotations

import contextlib
import os

from sordino.errors import InputError, PolicyError, SordinoError
from sordino.kinds.record import Kind, Verbs
from sordino.kinds.source import Source, is_folder
from sordino.policy.kinds import Policy

__all__ = ["KINDS", "Kind", "Source", "Verbs", "is_folder", "kind_of", "read_policy"]

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "inference",
            policy="sordino.policy.inference.InferencePolicy",
            data="sordino.data.baskets.Baskets",
            verbs="sordino.kinds.inference",
            commands="sordino.cli.inference",
            compare="sordino.compare.inference",
            proofs="sordino.kinds.inference_proofs",
            method="mine",
            method_where={"absent": "twins"},
        ),
        Kind(
            "template",
            policy="sordino.policy.template.TemplatePolicy",
            data="sordino.data.table.Table",
            verbs="sordino.kinds.template",
            commands="sordino.cli.template",
            compare="sordino.compare.template",
            method="disclosure",
        ),
        Kind(
            "diversity",
            policy="sordino.policy.diversity.DiversityPolicy",
            data="sordino.data.grouped.Grouped",
            verbs="sordino.kinds.diversity",
            commands="sordino.cli.diversity",
            compare="sordino.compare.diversity",
            method="injector",
        ),
    )
}


def kind_of(policy: object = None, data: object = None, folder: object = None) -> Kind:
    """The kind of a policy; without one, that of the release in `folder`, if it is one; else that of the data.

    A PolicyError if this is no policy, an InputError if a release is about a policy of another kind.
    """
    own = _published(folder)
    stated = own if policy is None else policy
    if stated is None:
        return next((kind for kind in KINDS.values() if isinstance(data, kind.load_data())), next(iter(KINDS.values())))
    name = getattr(stated, "kind", None)
    if not isinstance(name, str) or name not in KINDS:
        raise PolicyError([f"this is no policy: {type(stated).__name__}"])
    if own is not None and own.kind != name:
        raise InputError(
            f"the release is about a policy of kind '{own.kind}', and the policy stated is of kind '{name}'",
            where=str(folder),
        )
    return KINDS[name]


def read_policy(path: str | os.PathLike[str]) -> Policy:
    """The policy in a TOML file; every problem in it is reported at once."""
    from sordino.policy.file import read_policy

    return read_policy(path, {name: kind.load_policy() for name, kind in KINDS.items()})


def _published(folder: object) -> Policy | None:
    """The policy that a release folder states; None if this is none, or cannot be read: whoever reads it will say."""
    if not is_folder(folder):
        return None
    from sordino.verify.folder import published_part
    from sordino.verify.manifest_file import read_manifest

    with contextlib.suppress(SordinoError):
        return read_manifest(published_part(str(folder))).policy
    return None
