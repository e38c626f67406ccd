"""The documentation: it can be built, its links lead somewhere, its commands run, its notebook runs."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import sordino
from sordino.cli import main
from sordino.protect.registry import METHODS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if "reference" not in path.parts)


def script(name: str) -> ModuleType:
    """A module of scripts/."""
    spec = importlib.util.spec_from_file_location(f"scripts_{name}", ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_names_every_command_key_and_method() -> None:
    pages = script("reference").pages()
    for command in ("audit", "protect", "verify", "compare", "report", "experiment run", "datasets get"):
        assert f"sordino {command}\n" in pages["cli.md"]
    assert "| `--out DIR` |" in pages["cli.md"]
    for kind in ("inference", "template", "diversity"):
        assert f'## kind = "{kind}"' in pages["policy.md"]
    for key in ("per_item", "rarest", "min_expectation"):
        assert f"`{key}`" in pages["policy.md"]
    assert pages["policy.md"].count("```toml") == 3
    assert all(f"## {name}\n" in pages["methods.md"] for name in METHODS)


def test_the_reference_of_python_names_everything_public() -> None:
    page = script("reference").pages()["python.md"]
    assert all(f"## sordino.{name}\n" in page for name in sordino.__all__)
    assert "audit(data, policy=None, *, top=10" in page
    assert "- `to_pandas()`: The data as a pandas.DataFrame." in page
    assert sordino.audit.__doc__ is not None
    assert sordino.audit.__doc__.splitlines()[0] in page


def test_the_manual_page_is_made_of_the_commands(tmp_path: Path) -> None:
    text = script("reference").manual_page()
    assert text.startswith(".TH SORDINO 1 ")
    assert ".SS sordino audit DATA\n" in text
    assert "\n.B \\-\\-rho" in text
    if shutil.which("man") is not None:
        file = tmp_path / "sordino.1"
        file.write_text(text)
        shown = subprocess.run(["man", "-l", str(file)], capture_output=True, text=True, check=True)
        assert "sordino audit" in shown.stdout
        assert shown.stderr == ""


def test_every_method_has_its_card() -> None:
    text = (DOCS / "methods.md").read_text()
    missing = [name for name in METHODS if f"| `{name}`" not in text]
    assert not missing


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    path = DOCS / page
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text()):
        if not target.startswith(("http:", "https:")):
            found = (path.parent / target).resolve()
            assert found.exists() or found.parent.name == "reference", f"{page}: {target}"


def test_the_tutorial_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command of its sh blocks, in order; the exit code is 0 unless the page says otherwise."""
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "tutorial.md").read_text()
    commands = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    assert len([line for line in commands if line.startswith("sordino")]) >= 7
    for line in commands:
        command, _, said = line.partition("   # exit code ")
        if command.startswith("cd "):
            monkeypatch.chdir(Path.cwd() / command.removeprefix("cd "))
        elif command.startswith("sordino "):
            code = main(shlex.split(command)[1:])
            assert code == int(said or 0), f"{line}\n{capsys.readouterr()}"
        else:
            subprocess.run(["bash", "-c", command], timeout=60, check=True)
    python = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert python is not None
    exec(compile(python.group(1), "tutorial.md", "exec"), {})
    assert Path("release-from-python/publish/data.csv").is_file()


@pytest.mark.slow
def test_the_notebook_runs_and_shows_charts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    notebook = script("notebook").executed(DOCS / "tutorial.ipynb", tmp_path)
    shown = [
        out["data"]["text/html"]
        for c in notebook.cells
        for out in c.get("outputs", ())
        if "data" in out and "text/html" in out["data"]
    ]
    assert len(shown) == 5
    assert all("<svg" in page for page in shown)
    assert (tmp_path / "release" / "publish" / "data.csv").is_file()


def test_the_site_is_built_without_a_word_of_complaint(tmp_path: Path) -> None:
    tool = Path(sys.executable).with_name("zensical")
    if not tool.is_file():
        pytest.skip("zensical is not installed (it is in the dev extra)")
    site = tmp_path / "site"
    shutil.copytree(DOCS, site / "docs", ignore=shutil.ignore_patterns("reference"))
    shutil.copy(ROOT / "zensical.toml", site)
    (site / "docs" / "reference").mkdir()
    for name, text in script("reference").pages().items():
        (site / "docs" / "reference" / name).write_text(text)
    done = subprocess.run(
        [str(tool), "build", "--strict"], cwd=site, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    pages = list((site / "out" / "docs").rglob("*.html"))
    assert len(pages) >= len(PAGES)
    for page in pages:
        elsewhere = re.findall(r'(?:src|href)="(https?://[^"]+)"', page.read_text())
        assert all(address.startswith("https://zensical.org/") for address in elsewhere), page.name
