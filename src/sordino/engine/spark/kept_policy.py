"""policy.toml in `keep` of a table's release, with the files that it names."""

from __future__ import annotations

from sordino.data.write_hierarchy import encoded_hierarchy
from sordino.engine.spark.place import KEEP, Place
from sordino.policy import diversity_file, template_file
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.rules_file import encoded_rules
from sordino.policy.template import TemplatePolicy

__all__ = ["keep_policy"]


def keep_policy(place: Place, policy: TemplatePolicy | DiversityPolicy) -> None:
    """The policy as it was stated, its hierarchies and its rules beside it."""
    trees = {name: f"hierarchy-{k}.json" for k, name in enumerate(policy.hierarchies, start=1)}
    for name, file in trees.items():
        place.write_text(f"{KEEP}/{file}", encoded_hierarchy(policy.hierarchies[name], file).decode())
    if isinstance(policy, TemplatePolicy):
        text = template_file.write(policy, trees)
    else:
        rules = "given-rules.csv" if policy.rules else None
        if rules is not None:
            place.write_text(f"{KEEP}/{rules}", encoded_rules(policy.rules, policy.sensitive, policy.quasi).decode())
        text = diversity_file.write(policy, trees, rules)
    place.write_text(f"{KEEP}/policy.toml", text)
