"""Imports go one way (CONTRIBUTING.md): read from the source itself, so that a wrong import fails before it hurts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from sordino.cli import COMMANDS, OLD

ROOT = Path(__file__).parents[2] / "src" / "sordino"

# What each room may import, besides itself. Results are data: utility and report read them, and start nothing.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "version": set(),
    "data": {"errors"},
    "policy": {"errors", "data"},
    "engine": {"errors"},
    # Where records are in a cluster: what runs there is what runs here. Its verifier stands apart, see below.
    # Groups of people are made, and put in order, as on one machine.
    "engine.spark": {"errors", "data", "policy", "engine", "audit", "protect", "verify", "version"}
    | {"release.diversity"},
    "words": {"policy"},  # what results allow to be said
    "sample": {"errors"},
    "knowledge": {"errors", "data", "policy", "engine"},  # rules that data teach
    "audit": {"errors", "data", "policy", "engine", "knowledge", "report", "words"},
    # counts, no judge; what equal records lack (audit.twins) is a count, too
    "utility": {"errors", "data", "policy", "engine", "report", "words", "audit.index", "audit.twins"}
    | {"audit.kernels.leaves"}
    | {"audit.kernels.growth", "audit.kernels.supersets"},
    "protect": {"errors", "data", "policy", "engine", "knowledge", "audit", "utility"},
    "verify": {"errors", "data", "policy"},  # independent of whatever made the release
    "release": {"errors", "data", "policy", "engine", "knowledge", "audit", "protect", "utility", "verify", "report"}
    | {"words", "version"},
    "inspection": {"errors", "data", "report", "words"},  # looks at data, and at nothing else
    "report": {"errors", "policy", "version", "words"},  # draws plain data; results call it to show themselves
    # The verbs by kind start everything, but know nothing of commands. They name modules of cli and compare, no more.
    "kinds": {"errors", "data", "policy", "engine", "knowledge", "audit", "protect", "utility", "release", "verify"},
    "compare": {"errors", "data", "policy", "engine", "kinds", "protect.registry", "release", "utility", "report"}
    | {"version", "words"},
    # Work on made-up records, so that kernels are compiled: by the public face, and one number of the audit.
    "warming": {"", "engine", "audit.few_absences"},
    # The page does what the commands do by the public face alone, and says it in the same words.
    # The page of a release is the one that the command shows.
    "studio": {"", "errors", "words", "report.page", "sample", "data.how_read", "data.private"}
    | {"policy.text", "policy.threshold", "release.house_report"},
}
# What methods of protect/ share; none of it imports a method.
COMMON = (
    "ending",
    "exceptions",
    "fewest",
    "from_below",
    "heat",
    "literally",
    "objective",
    "partial",
    "improve",
    "parts",
    "personal_improve",
    "sweeps",
    "protocol",
    "registry",
    "row_kinds",
    "result",
    "kernels",
    "left_over",
    "personal_workspace",
    "workspace",
    "certificates",
    "whole_types",
    "generalized_workspace",
    "trees",
    "requirement",
    "bucketization",
    "buckets",
)
EVERYTHING = {"cli", "experiments", "", "__main__", "spark"}  # "" is sordino/__init__.py
OF_ITS_OWN = {"studio": {"nicegui"}}  # rooms that only their command loads, and what they are made of
OPTIONAL = {
    "pandas",
    "polars",
    "scipy",
    "sklearn",
    "fim",
    "pyspark",
    "matplotlib",
    "pooch",
    "cryptography",
    "python_calamine",
    "nicegui",
    "adbc_driver_postgresql",
}


def modules() -> dict[str, Path]:
    """Every module of sordino, by its dotted name without "sordino."."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def room_of(module: str) -> str:
    """The room that a module lies in."""
    return "engine.spark" if module.startswith("engine.spark") else module.split(".")[0]


def imports(module: str, *, at_start_only: bool = False) -> Iterator[str]:
    """The absolute names that a module imports; on request only those that loading it imports at once."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    for node in _nodes(tree, at_start_only):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute"
            assert node.module is not None
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole.removeprefix("sordino.") in MODULES else node.module


def _nodes(tree: ast.AST, at_start_only: bool) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        typing_only = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if at_start_only and (later or typing_only):
            continue
        yield node
        yield from _nodes(node, at_start_only)


def ours(module: str, *, at_start_only: bool = False) -> set[str]:
    """The modules of sordino that a module imports, without "sordino."."""
    names = (name for name in imports(module, at_start_only=at_start_only) if name.split(".")[0] == "sordino")
    return {name.removeprefix("sordino").removeprefix(".") for name in names}


def test_the_walk_sees_imports() -> None:
    assert {"audit.examination", "data.baskets", "policy.inference"} <= ours("audit.inference")
    assert "numba" in {name.split(".")[0] for name in imports("engine.kernels.compiled")}
    assert "kinds" in ours("")
    assert "kinds" not in ours("", at_start_only=True)


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_one_way(module: str) -> None:
    room = room_of(module)
    if room in EVERYTHING:
        return
    assert room in MAY_IMPORT, f"the room '{room}' is not in the plan"
    allowed = MAY_IMPORT[room] | {room}
    wrong = {name for name in ours(module) if not any(name == a or name.startswith(f"{a}.") for a in allowed)}
    assert not wrong, f"{module} must not import {sorted(wrong)}"


def test_no_room_imports_the_public_face_or_the_command_line() -> None:
    for module in MODULES:
        room = room_of(module)
        if room not in EVERYTHING:
            assert not {name.split(".")[0] for name in ours(module)} & (EVERYTHING - MAY_IMPORT[room]), module


def test_protect_methods_never_import_each_other() -> None:
    """Modules of protect/ that hold a method may import the room's common parts, which import no method."""
    folder = "protect"
    members = {m for m in MODULES if m.startswith(f"{folder}.") and m.count(".") == 1}
    common = {f"{folder}.{name}" for name in COMMON}
    for module in members - common:
        assert not (ours(module) & members) - common, module


def test_the_plan_lists_only_rooms_that_exist() -> None:
    assert {room_of(module) for module in MODULES} == set(MAY_IMPORT) | EVERYTHING


def test_pyspark_lives_in_one_room() -> None:
    users = {room_of(module) for module in MODULES if "pyspark" in {name.split(".")[0] for name in imports(module)}}
    assert users == {"engine.spark"}


@pytest.mark.parametrize("module", [f"engine.spark.verify{name}" for name in ("", "_small", "_table", "_table_small")])
def test_the_verifier_in_a_cluster_shares_no_code_with_what_made_the_release(module: str) -> None:
    """It knows how a release lies in its place and which words follow from its manifest; else what the verifier of one
    machine knows."""
    shared = {f"engine.spark.{name}" for name in ("place", "manifest", "readme", "verify")}
    shared |= {"engine.spark.table_manifest", "engine.spark.verify_table"}
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        assert name in shared | {module} or name.split(".")[0] in ("verify", "errors", "data", "policy"), name
        waiting += [other for other in ours(name) if other]
    assert {"verify.possible_values" if "table" in module else "verify.opensearch", "engine.spark.place"} <= seen


def test_the_verifier_reaches_neither_the_audit_nor_numba() -> None:
    """By way of whatever it imports: also the rooms that it shares do not."""
    seen: set[str] = set()
    waiting = [module for module in MODULES if module.split(".")[0] == "verify"]
    while waiting:
        module = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        assert "numba" not in {name.split(".")[0] for name in imports(module)}, module
        assert module.split(".")[0] in ("verify", "errors", "data", "policy"), module
        packages = {module.rpartition(".")[0]} - {""}  # loading a module loads its package
        waiting += [name for name in ours(module) | packages if name]
    assert {"verify.classes", "verify.opensearch", "data.baskets", "errors"} <= seen


@pytest.mark.parametrize("room", ["verify", "release"])
def test_modules_do_not_import_each_other_in_a_circle(room: str) -> None:
    """Imports inside functions count, and so do the modules that a registry names: a circle there is only hidden."""
    graph = {module: _loads(module) for module in MODULES if module.split(".")[0] == room}
    assert len(graph) > 10
    done: set[str] = set()
    while len(done) < len(graph):
        free = {module for module, needs in graph.items() if module not in done and not (needs & graph.keys()) - done}
        assert free, f"a circle among {sorted(graph.keys() - done)}"
        done |= free


def _loads(module: str) -> set[str]:
    """The modules that a module imports, at its start or later, or names in a text."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    named = {text.partition(":")[0].removeprefix("sordino.") for text in texts if text.startswith("sordino.")}
    return (ours(module) | (named & MODULES.keys())) - {module}


def test_numba_lives_in_kernels_only() -> None:
    for module in MODULES:
        if "numba" in {name.split(".")[0] for name in imports(module)}:
            assert ".kernels." in module, module


@pytest.mark.parametrize("module", MODULES)
def test_optional_libraries_are_never_imported_at_the_start_of_a_shared_file(module: str) -> None:
    loaded = {name.split(".")[0] for name in imports(module, at_start_only=True)}
    own = OF_ITS_OWN.get(module.split(".")[0], set())
    assert not loaded & (OPTIONAL - own), f"{module} makes an optional library obligatory"


@pytest.mark.parametrize("room", OF_ITS_OWN)
def test_rooms_of_their_own_are_loaded_by_their_command_only(room: str) -> None:
    outside = [module for module in MODULES if module.split(".")[0] != room]
    users = [module for module in outside if any(name.split(".")[0] == room for name in ours(module))]
    assert users == [f"cli.{room}"]
    assert not any(name.split(".")[0] == room for name in ours(f"cli.{room}", at_start_only=True))


def test_the_command_line_starts_light() -> None:
    """What `sordino --help` loads: nothing but typer, the errors and the options."""
    seen: set[str] = set()
    waiting = ["__main__", "", "cli", *(f"cli.{OLD.get(name, name)}" for name in COMMANDS)]  # --help loads all
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            outside = {name.split(".")[0] for name in imports(module, at_start_only=True)}
            assert not outside & {"numpy", "numba", "pyarrow", "duckdb", "rich"}, module
            waiting += [name for name in ours(module, at_start_only=True) if name in MODULES]
    assert "cli.audit" in seen
