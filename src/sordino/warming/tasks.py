"""Work on a few made-up records that needs the kernels that real work needs, so that they are compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

__all__ = ["FIRST", "TASKS", "made_up", "run"]

SECRET = "x"  # the sensitive item of the made-up records
FIRST = ("audit", "templates", "diversity")  # what the others need as well, so that nothing is compiled twice


def run(name: str) -> None:
    """Do one of the tasks, in a process of its own."""
    TASKS[name]()


def records() -> list[set[str]]:
    """Short and long records: what is quick for the one is not for the other, so there are kernels for both."""
    lengths = [1, 2, 3, 4, 5, 6, 8, 12, 18, 30] * 6
    found = [{f"i{(u * 7 + k * k) % 40}" for k in range(length)} for u, length in enumerate(lengths)]
    return [record | {SECRET} if u % 3 == 0 else record for u, record in enumerate(found)]


def many() -> list[set[str]]:
    """What only larger files have: for each of these there are kernels that smaller ones are not worth.

    A long record with enough alibis beside an item that is not safe elsewhere; rules that fail though no whole record
    gives anything away; and 2,016 people whom one absence, and nothing else, exposes.
    """
    d, a, b = ([f"{letter}{k}" for k in range(number)] for letter, number in (("d", 29), ("a", 29), ("b", 64)))
    long = [{*d, SECRET}, *({*d} for _ in range(12))]
    deeper = [*({"a", other, SECRET} for other in a), *({"a", *a} for _ in range(9))]
    absent = [*({*two, SECRET} for two in combinations(b, 2)), *(set(b) for _ in range(600))]
    return [*records(), *long, *deeper, *absent]


def rows() -> list[dict[str, str]]:
    return [
        {"age": str(20 + u % 7), "job": "abcd"[u % 4], "town": "xyz"[u * u % 3], "ill": "pqrstu"[u * 5 % 6]}
        for u in range(60)
    ]


def _policy(**more: Any) -> Any:
    from sordino import InferencePolicy

    return InferencePolicy([SECRET], "0.1", **more)


def _personal(**more: Any) -> Any:
    return _policy(per_record={u: [f"i{u}", f"i{u + 1}"] for u in range(20)}, **more)


def _sampled(**more: Any) -> Any:
    from sordino import Assurance

    return _policy(assurance=Assurance("0.2", "0.1", 3), **more)


def _audit() -> None:
    import sordino

    for knowledge in (None, 1, 2, 3, 8):
        sordino.audit(records(), _policy(knowledge=knowledge))
        sordino.audit(many(), _policy(knowledge=knowledge))
    sordino.audit(records(), _policy(absent="any"))


def _audit_personal() -> None:
    import sordino

    for knowledge in (None, 2):
        sordino.audit(records(), _personal(knowledge=knowledge))
    sordino.audit(records(), _sampled())


def _protect(method: str, policy: Callable[[], Any], **options: Any) -> Callable[[], None]:
    def task() -> None:
        import sordino

        sordino.protect(records(), policy(), method=method, seed=1, **options)

    return task


def _mine() -> None:
    import sordino

    _protect("mine", _policy)()
    sordino.protect(many(), _policy(), method="mine", seed=1)


def _templates() -> None:
    import sordino

    policy = _templates_policy()
    for method in ("disclosure", "disclosure-local"):
        sordino.protect(rows(), policy, method=method, seed=1)


def _diversity() -> None:
    import sordino

    policy = _diversity_policy()
    for method in ("injector", "anatomy"):
        try:
            sordino.protect(rows(), policy, method=method, seed=1)
        except sordino.SordinoError:  # a method that cannot meet the policy has compiled what it needs all the same
            continue


def _absent() -> Any:
    return _policy(absent="any")


TASKS: Mapping[str, Callable[[], None]] = {
    "audit": _audit,
    "templates": _templates,
    "diversity": _diversity,
    "mine": _mine,
    "mine, improved in parts": _protect("mine", _policy, improve=2, parts=2),
    "jia": _protect("jia", _policy),
    "audit, personal": _audit_personal,
    "mine, personal": _protect("mine", _personal, improve=2),
    "naka": _protect("naka", _personal),
    "twins": _protect("twins", _absent, improve=2),
    "dist": _protect("dist", _policy, improve=2),
    "naka-sampled": _protect("naka-sampled", _sampled),
    "cahd": _protect("cahd", _policy),
    "lgps": _protect("lgps", _policy),
    "tdcontrol": _protect("tdcontrol", _policy),
    "global": _protect("global", _policy),
}


def _templates_policy() -> Any:
    from sordino import Template, TemplatePolicy

    return TemplatePolicy([Template(["age", "job", "town"], "ill", "p", "0.2")])


def _diversity_policy() -> Any:
    from sordino import DiversityPolicy

    return DiversityPolicy("ill", ["age", "job", "town"], 2)


def made_up(kind: str) -> Callable[..., tuple[Any, Any]] | None:
    """For a run that is helped: what makes a few records and a policy of this kind that they break, as few as reach its
    kernels. It is the function `_few_KIND` below; a kind without one is not helped."""
    found: Callable[..., tuple[Any, Any]] | None = globals().get(f"_few_{kind}")
    return found


def _few_inference(**stated: Any) -> tuple[Any, Any]:
    return records()[:20], _policy(**stated)


def _few_template() -> tuple[Any, Any]:
    return rows(), _templates_policy()


def _few_diversity() -> tuple[Any, Any]:
    return rows(), _diversity_policy()
