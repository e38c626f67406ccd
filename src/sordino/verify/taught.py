"""The rules that a table teaches, found once more by plain means: the verifier's own way.

docs/notes/model.md 2.2 states them; LI has them in section IV.

"Nobody who fits X has s", X naming a node in each of some attributes, is taught by a table if nobody in it who fits X
has s, and if so many fit X that somebody would have s with the expected probability if it were chance: if
(1 - P(s))^support(X) <= 1 - min_expectation. With a min_confidence below 1 up to 1 - min_confidence of the support may
have s. To a fuzzy node a person belongs in part, in whole parts of a unit
(`Nodes.members`); the support of X is the sum of the products. The rules are not reduced to the most general ones: what
they exclude together is the same.
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sordino.data.table import Table, weighted
from sordino.policy.diversity import DiversityPolicy, ResolvedDiversity
from sordino.verify.bounded import Effort, LeftOpenError
from sordino.verify.knowledge_file import Meaning, Rules

__all__ = ["taught"]

I64 = npt.NDArray[np.int64]
STEPS = 200_000_000_000  # people (equal ones once) times combinations of nodes
UNITS, ROOM = (2520, 360, 60, 12, 4, 2), 1 << 61  # parts of a share, as fine as sums of 64 bits allow


def taught(policy: DiversityPolicy, original: Table) -> tuple[Meaning, Rules]:
    """What the names of nodes mean in the table, and all rules that it teaches, as the policy says how."""
    resolved = policy.resolve(original, missing="accept")
    meaning = {
        nodes.attribute: {
            label: [nodes.texts[code] for code in nodes.inside[v].tolist()] for v, label in enumerate(nodes.labels)
        }
        for nodes in resolved.nodes
    }
    return meaning, _Search(resolved).rules


class _Search:
    def __init__(self, resolved: ResolvedDiversity) -> None:
        policy, records = resolved.policy, resolved.people
        self.nodes, self.names = resolved.nodes, resolved.names
        rows = np.stack([*resolved.codes, resolved.value], axis=1)
        rows, of_row = np.unique(rows, axis=0, return_inverse=True)
        counts = weighted(of_row.reshape(-1), resolved.weight, len(rows))
        self.codes, self.value = rows[:, :-1], rows[:, -1]
        blurred = sum(nodes.fuzzy is not None for nodes in self.nodes)
        self.doubt = 1 - policy.min_confidence
        many = records * self.doubt.denominator
        fitting = [unit for unit in (UNITS if blurred else (1,)) if many * unit**blurred < ROOM]
        if not fitting:
            raise LeftOpenError("the policy has too many fuzzy attributes to find again what the original data teach")
        self.unit = fitting[0]
        whole = self.unit**blurred
        held = weighted(resolved.value, resolved.weight, len(self.names)).tolist()
        self.need = [_least(Fraction(n, records), policy.min_expectation, whole) if n else None for n in held]
        self.fewest = min((n for n in self.need if n is not None), default=ROOM)
        self.longest = len(self.nodes) if policy.max_conditions is None else policy.max_conditions
        self.effort = Effort(STEPS, "to find again what the original data teach")
        self.rules: Rules = []
        self._extend({}, 0, counts * whole)

    def _extend(self, conditions: dict[str, str], start: int, weight: I64) -> None:
        """Add the rules whose conditions are these and one or more of attributes from `start` on."""
        for j in range(start, len(self.nodes)):
            nodes = self.nodes[j]
            for v, label in enumerate(nodes.labels):
                self.effort.spend(len(weight) + len(self.names))
                values, shares = nodes.members(v, self.unit if nodes.fuzzy is not None else 1)
                share = np.zeros(nodes.values, dtype=np.int64)
                share[values] = shares
                fitting = weight // (self.unit if nodes.fuzzy is not None else 1) * share[self.codes[:, j]]
                support = int(fitting.sum())
                if support < self.fewest:
                    continue
                having = np.zeros(len(self.names), dtype=np.int64)
                np.add.at(having, self.value, fitting)
                doubted = (having * self.doubt.denominator > support * self.doubt.numerator).tolist()
                named = {**conditions, nodes.attribute: label}
                for s, need in enumerate(self.need):
                    if need is not None and not doubted[s] and support >= need:
                        self.rules.append((named, self.names[s]))
                if len(named) < self.longest:
                    self._extend(named, j + 1, fitting)


def _least(share: Fraction, expectation: Fraction, whole: int) -> int:
    """The least support, in parts of a person of which `whole` make one, at which a rule is expected."""
    if share >= 1:
        return 1
    with decimal.localcontext() as context:
        context.prec = 80
        chance, rest = 1 - expectation, 1 - share
        wanted = _log(chance) / _log(rest) * whole
        least = max(1, int(wanted.to_integral_value(rounding=decimal.ROUND_CEILING)))
        near = wanted.to_integral_value()
        return max(1, int(near)) if abs(wanted - near) < Decimal("1e-40") else least


def _log(number: Fraction) -> Decimal:
    return (Decimal(number.numerator) / Decimal(number.denominator)).ln()
