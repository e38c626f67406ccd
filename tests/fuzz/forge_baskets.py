"""Forgeries of releases of baskets, and whether a policy holds in what they publish."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import judge
import oracle
from fuzz import forms
from fuzz.case import BasketCase
from fuzz.check_audit_baskets import truth
from fuzz.check_folder import data_file
from fuzz.check_protect_baskets import grouped_is_safe
from fuzz.draw import RHO, chance, few, one_of, whole
from fuzz.forge import manifest_of, read_json, reseal, sealed_proof, write_json
from fuzz.made import MadeBaskets
from fuzz.truth_baskets import thresholds, unsafe_shares
from sordino.data.baskets import Baskets
from sordino.data.write import encoded
from sordino.verify.groups_file import GROUPS, read_generalized, read_permuted

__all__ = ["FORGERIES", "own_policy_may_hold", "stated_policy_may_hold"]

PROOF = "proof.json.gz"
Forgery = Callable[[MadeBaskets, Path], None]


# What a dishonest publisher does


def original_data(made: MadeBaskets, publish: Path) -> None:
    """Publish the data as they were."""
    _publish(made, publish, made.records)


def more_items(made: MadeBaskets, publish: Path) -> None:
    """Add sensitive items to some records, or anything."""
    records, _ = forms.load(data_file(publish), made.case.form)
    pool = list(made.case.sensitive) if chance(made.rng, 0.7) else sorted({i for r in made.records for i in r})
    pool = pool or ["i0"]
    touched = few(made.rng, range(len(records)), least=1, most=3)
    _publish(made, publish, [r | {one_of(made.rng, pool)} if u in touched else r for u, r in enumerate(records)])


def fewer_items(made: MadeBaskets, publish: Path) -> None:
    """Take items away that may have been somebody's alibi."""
    records, _ = forms.load(data_file(publish), made.case.form)
    _publish(
        made, publish, [r - set(few(made.rng, sorted(r), most=2)) if chance(made.rng, 0.5) else r for r in records]
    )


def other_policy(made: MadeBaskets, publish: Path) -> None:
    """Claim another threshold, or more or fewer sensitive items, or another adversary."""
    manifest = manifest_of(publish)
    policy = manifest["policy"]
    way = whole(made.rng, 0, 4)
    if way == 0:
        policy["rho"] = one_of(made.rng, RHO)
    elif way == 1:
        policy["sensitive"] = few(made.rng, policy["sensitive"])
        for key in ("per_item", "adaptive"):
            if isinstance(policy[key], dict):
                policy[key] = {e: value for e, value in policy[key].items() if e in policy["sensitive"]}
    elif way == 2:
        policy["knowledge"] = one_of(made.rng, (None, 1, 2))
    elif way == 3:
        policy["per_item"] = {e: one_of(made.rng, RHO) for e in few(made.rng, policy["sensitive"])}
    else:
        policy["adaptive"] = one_of(made.rng, (True, False, "0.1", "-0.01"))
    if manifest.get("thresholds") is not None or policy["adaptive"] is not False:
        _restate(made, publish, manifest)
    reseal(publish, manifest)


def other_proof(made: MadeBaskets, publish: Path) -> None:
    """Change the proof: numbers in it, or who is open."""
    if (publish / PROOF).exists():
        proof = read_json(publish / PROOF)
        for entry in proof["items"].values():
            for key in ("record", "alibi", "units", "open"):
                if entry[key] and chance(made.rng, 0.3):
                    place = whole(made.rng, 0, len(entry[key]) - 1)
                    entry[key][place] = max(0, entry[key][place] + whole(made.rng, -2, 2))
            if chance(made.rng, 0.3):
                entry["open"] = []
        write_json(publish / PROOF, sealed_proof(proof))
    reseal(publish)


def other_groups(made: MadeBaskets, publish: Path) -> None:
    """Move records to other groups, or say that groups hold less, or open more."""
    if not (publish / GROUPS).exists():
        more_items(made, publish)
        return
    groups = read_json(publish / GROUPS)
    number = groups["group"]
    if chance(made.rng, 0.5) and number:
        number[whole(made.rng, 0, len(number) - 1)] = one_of(made.rng, number)
    for held in groups.get("held", ()):
        for item in list(held):
            if chance(made.rng, 0.4):
                held[item] = max(1, held[item] + whole(made.rng, -1, 2))
            elif chance(made.rng, 0.2):
                del held[item]
    for opened in groups.get("opened", ()):
        if opened and chance(made.rng, 0.3):
            opened.pop()
    write_json(publish / GROUPS, groups)
    reseal(publish)


FORGERIES: Mapping[str, Forgery] = {
    "the original data": original_data,
    "more items": more_items,
    "fewer items": fewer_items,
    "another policy": other_policy,
    "another proof": other_proof,
    "other groups": other_groups,
}


def _publish(made: MadeBaskets, publish: Path, records: list[frozenset[str]]) -> None:
    """Put these records in the place of the published ones, with a proof that is about them."""
    published = made.release.published
    baskets = replace(Baskets.from_sets(records, ids=published.ids), origin=published.origin)
    data_file(publish).write_bytes(encoded(baskets, published.origin))
    manifest = manifest_of(publish)
    present = {item for record in records for item in record}
    manifest["policy"]["sensitive"] = [e for e in made.case.sensitive if e in present]
    _restate(made, publish, manifest)
    if (publish / PROOF).exists():
        proof = read_json(publish / PROOF)
        proof |= {"data": baskets.fingerprint, "records": len(records)}
        rho_of = thresholds(made.case, records)
        for e in manifest["policy"]["sensitive"]:
            entry = proof["items"].setdefault(e, {"record": [], "alibi": [], "units": [], "open": []})
            if "rho" not in entry:
                entry["rho"] = f"{rho_of[e].numerator}/{rho_of[e].denominator}"
            if chance(made.rng, 0.5):  # all that could be looked at is declared open
                entry |= {"record": [], "alibi": [], "units": []}
                entry["open"] = [u for u, r in enumerate(records) if e in r and len(r) > 1 and r not in records[:u]]
        for e in set(proof["items"]) - set(manifest["policy"]["sensitive"]):
            del proof["items"][e]
        write_json(publish / PROOF, sealed_proof(proof))
    reseal(publish, manifest)


def _restate(made: MadeBaskets, publish: Path, manifest: dict[str, Any]) -> None:
    """The thresholds that an adaptive policy comes to on the data that lie there."""
    if manifest.get("thresholds") is None and manifest["policy"]["adaptive"] is False:
        return
    records, _ = forms.load(data_file(publish), made.case.form)
    case = _claimed(made.case, manifest)
    try:
        rho_of = thresholds(case, records)
    except ValueError:
        return
    present = {item for record in records for item in record}
    if "thresholds" in manifest and manifest.get("shape") != "promised":
        manifest["thresholds"] = {e: str(rho_of[e]) for e in sorted(case.sensitive) if e in present}


# Whether a verdict "holds" would be true


def stated_policy_may_hold(made: MadeBaskets, publish: Path) -> bool:
    """Whether the policy of the case holds in what is published there."""
    return _holds(made, publish, made.case)


def own_policy_may_hold(made: MadeBaskets, publish: Path) -> bool:
    """Whether the policy that the folder claims holds in what is published there."""
    if made.case.own is not None or made.case.less is not None:
        return False  # what was chosen is not known to who verifies without the policy
    return _holds(made, publish, _claimed(made.case, manifest_of(publish)))


def _claimed(case: BasketCase, manifest: Mapping[str, Any]) -> BasketCase:
    policy = manifest["policy"]
    return replace(
        case,
        sensitive=tuple(policy["sensitive"]),
        rho=policy["rho"],
        rho_of=policy["per_item"],
        adaptive=policy["adaptive"],
        knowledge=policy["knowledge"],
        assurance=case.assurance if policy.get("assurance") is not None else None,
    )


def _holds(made: MadeBaskets, publish: Path, case: BasketCase) -> bool:
    records, ids = forms.load(data_file(publish), made.case.form)
    if (publish / GROUPS).exists():
        return _grouped_holds(publish, case, records, ids)
    if case.assurance is not None:
        shares = unsafe_shares(case, made.records, records)  # the verifier samples too: it may miss what is just above
        return max(shares.values(), default=Fraction(0)) <= 2 * Fraction(case.assurance[0])
    try:
        return truth(case, made.records, records).holds
    except ValueError:  # a factor that leads out of 0 to 1
        return False


def _grouped_holds(publish: Path, case: BasketCase, records: list[frozenset[str]], ids: list[str] | None) -> bool:
    """In groups as the files tell them; whether these fit together is for the verifier to say."""
    baskets = Baskets.from_sets(records, ids=ids)
    generalized = "opened" in read_json(publish / GROUPS)
    data: Any = read_generalized(publish, baskets, case.sensitive) if generalized else read_permuted(publish, baskets)

    class Told:
        coarse = data

    Told.data = baskets  # type: ignore[attr-defined]
    most = case.knowledge
    if case.assurance is not None:
        most = case.assurance[2] if most is None else min(most, case.assurance[2])
    try:
        rho_of = thresholds(case, judge.counted(Told))
    except (ValueError, IndexError):
        return False
    if not generalized:
        hidden = {e: rho for e, rho in rho_of.items() if e in case.sensitive}
        shown = any(e in record for record in records for e in case.sensitive)
        return not shown and oracle.permuted_holds(records, data.group.tolist(), data.held, hidden)
    return grouped_is_safe(Told, case.sensitive, rho_of, most)
