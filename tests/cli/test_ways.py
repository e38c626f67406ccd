"""No option is ever ignored: in every command, on every way, each option is refused or changes what comes out."""

from __future__ import annotations

import importlib
import pkgutil
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import sordino.cli
from cli.all_commands import COMMANDS
from cli.probes import PROBES, SECOND, UNSEEN, Words
from cli.scene_files import make_files
from cli.scenes import SCENES, Scene
from cli.shell import Outcome, Run
from sordino.cli.ways import Way
from sordino.report import page


def options(command: str) -> dict[str, str]:
    """The options of a command: as it is written -> the name of the parameter."""
    found = (p for p in COMMANDS[command].params if p.param_type_name == "option")
    return {p.opts[0]: p.name for p in found if p.name != "help"}


CASES = [(name, option) for name, scene in SCENES.items() for option in options(scene.command)]


def test_every_command_and_every_way_has_its_scene() -> None:
    assert {scene.command for scene in SCENES.values()} == set(COMMANDS)
    shown = [scene.way for scene in SCENES.values()]
    for module in pkgutil.iter_modules(sordino.cli.__path__):
        content = vars(importlib.import_module(f"sordino.cli.{module.name}"))
        for name, value in content.items():
            assert not isinstance(value, Way) or value in shown, f"{module.name}.{name} has no scene"


def test_ways_name_options_that_there_are() -> None:
    for name, scene in SCENES.items():
        known = set(options(scene.command).values())
        assert scene.way is None or scene.way.uses <= known, name


@pytest.fixture(scope="module", autouse=True)
def _without_charts() -> Iterator[None]:
    """What is drawn makes no difference here, but takes long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "can_draw", lambda: False)
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_files(tmp_path_factory.mktemp("scenes"))


@pytest.fixture(scope="module")
def seen() -> dict[tuple[str, ...], tuple[object, ...]]:
    """What command lines came to that were run before."""
    return {}


def line(scene: Scene, files: dict[str, Path], *more: Words) -> tuple[str, ...]:
    """The words of a scene, with more options; '-' takes one away."""
    stated: Words = dict(scene.options)
    for words in more:
        stated.update(words)
    flat = [*scene.command.split(), *scene.arguments]
    for option, value in stated.items():
        if value != "-" or option == "--json":
            flat += [option] if value is None else [option, value]
    return tuple(re.sub(r"\{(\w+)\}", lambda found: str(files[found[1]]), word) for word in flat)


def timeless(text: str) -> str:
    """The text without the time that it took, and without whatever was drawn afresh."""
    return re.sub(r"\d+\.\d+( s\b)|\"seconds\": [\d.]+", "", text)


def outcome(run: Run, words: tuple[str, ...], files: dict[str, Path]) -> tuple[object, ...]:
    """All that a command leaves behind: exit code, streams and files."""
    clear(files["out"])
    kept = {name: snapshot(files[name]) for name in ("old_release", "old_file", "copies")}
    done: Outcome = run(*words)
    changed = tuple(name for name, before in kept.items() if snapshot(files[name]) != before)
    return done.code, timeless(done.out), timeless(done.err), snapshot(files["out"]), changed


def clear(folder: Path) -> None:
    for entry in list(folder.iterdir()):
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def snapshot(place: Path) -> tuple[tuple[str, str], ...]:
    """Names and contents; of a rewritten file also that it is another one."""
    found = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
    return tuple(
        (f"{path.relative_to(place)} {path.stat().st_ino if place.name != 'out' else ''}", timeless(_text(path)))
        for path in found
    )


def _text(path: Path) -> str:
    return path.read_bytes().decode("latin-1")


@pytest.mark.parametrize(("name", "option"), CASES, ids=lambda part: part)
def test_an_option_is_refused_or_changes_what_comes_out(
    run: Run,
    name: str,
    option: str,
    files: dict[str, Path],
    seen: dict[tuple[str, ...], tuple[object, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SORDINO_DATA", str(files["data_sets"]))
    monkeypatch.setenv("SORDINO_CACHE", str(files["data_sets"]))
    scene = SCENES[name]
    both, more = scene.probes.get(option) or PROBES[option]
    words = line(scene, files, both, more)
    without = line(scene, files, both)
    used = scene.way is None or options(scene.command)[option] in scene.way.uses
    if not used:
        clear(files["out"])
        alone, beside = run(*line(scene, files, more)), run(*words)
        assert (alone.code, alone.out, beside.code, beside.out) == (2, "", 2, ""), (words, alone, beside)
        refusals = ("of no use here", "cannot be combined")
        named = [done.err for done in (alone, beside) if re.search(rf"{option}\b", done.err)]
        assert any(refusal in err for err in named for refusal in refusals), (words, alone, beside)
        return
    if option in UNSEEN or option in scene.unseen:
        assert "of no use here" not in run(*words).err
        return
    assert words != without
    if option in SECOND:
        assert run(*without).code != 2
    if without not in seen or option in SECOND:
        seen[without] = outcome(run, without, files)
    plain = seen[without]
    stated = outcome(run, words, files)
    assert "of no use here" not in str(stated[2]), stated
    assert stated != plain, (words, plain)
