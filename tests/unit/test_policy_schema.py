"""The JSON schema of policy.toml says of a file what its parser says."""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import sordino
from sordino.errors import PolicyError
from sordino.policy import diversity_file, inference_file, template_file
from sordino.policy.schema import schema_text
from sordino.sample import names, path

ROOT = Path(__file__).parents[2]
CHECK = jsonschema.Draft7Validator(json.loads(schema_text()))
SENSITIVE = '[sensitive]\nitems = ["x"]\n'
RHO = '[threshold]\nrho = "0.5"\n'
TEMPLATE = 'kind = "template"\n[[template]]\ngiven = ["Job"]\nvalue = { Debt = "yes" }\nat_most = "0.5"\n'
DIVERSITY = 'kind = "diversity"\nsensitive = "D"\nquasi = ["A"]\nl = 3\n'

RIGHT = [
    SENSITIVE + RHO,
    'kind = "inference"\n' + SENSITIVE + RHO,
    '[sensitive]\nitems = [1, "x"]\n[threshold]\nrho = 0.25\n',
    '[sensitive]\nfile = "names.txt"\n' + RHO,
    '[sensitive]\npatterns = ["hiv*"]\n' + RHO,
    '[sensitive]\nitems = []\npatterns = ["hiv*"]\n' + RHO,
    '[sensitive]\nnodes = ["drugs"]\nhierarchy = "tree.csv"\n' + RHO,
    '[sensitive]\nitems = ["x"]\nper_record = "choices.csv"\n' + RHO,
    '[sensitive]\nper_record = { file = "choices.csv", record = "record", item = "item", first = 1 }\n' + RHO,
    SENSITIVE + '[threshold]\nrho = "1/3"\nper_item = { x = "30%" }\n',
    SENSITIVE + '[threshold]\nrho = "5e-1"\nadaptive = true\n',
    SENSITIVE + '[threshold]\nrho = ".5"\nadaptive = "0.2"\n',
    SENSITIVE + '[threshold]\nrho = "12.5%"\nadaptive = { x = 0.1 }\n',
    SENSITIVE + RHO + "[knowledge]\nitems = 2\n",
    SENSITIVE + RHO + '[knowledge]\nabsent = "any"\n',
    SENSITIVE + RHO + '[assurance]\nepsilon = "0.2"\ndelta = "0.1"\nmax_knowledge = 2\n',
    TEMPLATE,
    TEMPLATE.replace('value = { Debt = "yes" }', 'values = { Debt = ["yes", 3] }'),
    TEMPLATE.replace('value = { Debt = "yes" }', 'rarest = { Debt = "50%" }'),
    TEMPLATE.replace('value = { Debt = "yes" }', 'sensitive = "Debt"\nvalues = ["yes"]'),
    TEMPLATE + "[bins]\nJob = { width = 10 }\n",
    TEMPLATE + "[bins]\nJob = { quantile = 4 }\n",
    TEMPLATE + '[bins]\nJob = { edges = [18, "30.5"] }\n',
    'class = "C"\nsymbol = "-"\n' + TEMPLATE,
    DIVERSITY,
    DIVERSITY + '[knowledge]\nmined = false\nmin_expectation = "0.9"\nmax_conditions = 0\n',
    DIVERSITY + '[knowledge]\nmin_confidence = "0.95"\n',
    DIVERSITY + "[knowledge]\nmin_confidence = 1\n",
]
WRONG = [
    "",
    'kind = "inferenze"\n' + SENSITIVE + RHO,
    SENSITIVE,
    RHO,
    "[sensitive]\n" + RHO,
    "[sensitive]\nitems = []\n" + RHO,
    "[sensitive]\nitems = []\npatterns = []\n" + RHO,
    '[sensitive]\nitems = "x"\n' + RHO,
    "[sensitive]\nitems = [true]\n" + RHO,
    '[sensitive]\nitem = ["x"]\n' + RHO,
    '[sensitive]\nitems = ["x"]\nnodes = ["drugs"]\n' + RHO,
    '[sensitive]\nitems = ["x"]\nhierarchy = "tree.csv"\n' + RHO,
    '[sensitive]\npatterns = "hiv*"\n' + RHO,
    '[sensitive]\npatterns = [" "]\n' + RHO,
    '[sensitive]\nexcept_for = "choices.csv"\n' + RHO,
    '[sensitive]\nper_record = { record = "user" }\n' + RHO,
    '[sensitive]\nper_record = { file = "choices.csv", recrod = "user" }\n' + RHO,
    SENSITIVE + '[threshold]\nrho = "half"\n',
    SENSITIVE + "[threshold]\nrho = 1\n",
    SENSITIVE + "[threshold]\nrho = 0\n",
    SENSITIVE + "[threshold]\nrho = 50\n",
    SENSITIVE + '[threshold]\nrho = "150%"\n',
    SENSITIVE + '[threshold]\nrho = "1.5"\n',
    SENSITIVE + '[threshold]\nrho = "-0.5"\n',
    SENSITIVE + "[threshold]\nrho = true\n",
    SENSITIVE + RHO + "adaptative = true\n",
    SENSITIVE + RHO + 'adaptive = "yes"\n',
    SENSITIVE + RHO + "per_item = 3\n",
    SENSITIVE + RHO + "[knowledge]\nitems = 0\n",
    SENSITIVE + RHO + '[knowledge]\nitems = "two"\n',
    SENSITIVE + RHO + "[knowledge]\nabsent = true\n",
    SENSITIVE + RHO + '[knowledge]\nitems = 2\nabsent = "any"\n',
    SENSITIVE + RHO + '[assurance]\nepsilon = "0.2"\ndelta = "0.1"\n',
    SENSITIVE + RHO + '[adversary]\nitems = 2\n',
    'sensitive = ["x"]\n' + RHO,
    'kind = "template"\n',
    TEMPLATE.replace("[[template]]", "[template]"),
    TEMPLATE.replace("at_most", "at_least"),
    TEMPLATE.replace('at_most = "0.5"\n', ""),
    TEMPLATE.replace('["Job"]', '"Job"'),
    TEMPLATE.replace('["Job"]', "[]"),
    TEMPLATE + 'rarest = { Debt = "50%" }\n',
    TEMPLATE.replace('value = { Debt = "yes" }\n', ""),
    TEMPLATE.replace('{ Debt = "yes" }', '{ Debt = "yes", Job = "x" }'),
    TEMPLATE + "[threshold]\nrho = 0.5\n",
    TEMPLATE + "[hierarchies]\nJob = 3\n",
    TEMPLATE + "[bins]\nJob = 10\n",
    TEMPLATE + "[bins]\nJob = { quantile = 1 }\n",
    TEMPLATE + "[bins]\nJob = { width = 10, quantile = 4 }\n",
    TEMPLATE + "[bins]\nJob = { by = 10 }\n",
    DIVERSITY.replace("l = 3", "l = 1"),
    DIVERSITY.replace("l = 3\n", ""),
    DIVERSITY.replace('["A"]', "[]"),
    DIVERSITY.replace('"D"', "3"),
    DIVERSITY + '[knowledge]\nmined = "yes"\n',
    DIVERSITY + "[knowledge]\nmin_expectation = 2\n",
    DIVERSITY + "[knowledge]\nmined_ = true\n",
]  # fmt: skip


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """The files that policies name."""
    (tmp_path / "names.txt").write_text("x\n")
    (tmp_path / "choices.csv").write_text("record,item\n1,x\n")
    (tmp_path / "tree.csv").write_text("item,group\nx,drugs\ny,food\n")
    return tmp_path


def parses(text: str, folder: Path) -> bool:
    (folder / "policy.toml").write_text(text)
    try:
        sordino.read_policy(folder / "policy.toml")
    except PolicyError:
        return False
    return True


def fits(text: str) -> bool:
    return bool(CHECK.is_valid(tomllib.loads(text)))


def test_the_schema_is_one() -> None:
    jsonschema.Draft7Validator.check_schema(json.loads(schema_text()))


def test_every_key_of_the_parsers_is_in_it() -> None:
    kinds = json.loads(schema_text())["definitions"]
    inference = kinds["inference"]["properties"]
    for section, keys in inference_file._KEYS.items():
        known = inference if not section else inference[section]["properties"]
        assert set(keys) <= set(known), section
    assert set(template_file.KEYS) <= set(kinds["template"]["properties"])
    assert set(template_file.TEMPLATE_KEYS) <= set(kinds["template"]["properties"]["template"]["items"]["properties"])
    assert set(diversity_file.KEYS) <= set(kinds["diversity"]["properties"])
    assert set(diversity_file.KNOWLEDGE_KEYS) <= set(kinds["diversity"]["properties"]["knowledge"]["properties"])


@pytest.mark.parametrize("text", RIGHT)
def test_what_the_parser_accepts_the_schema_accepts(beside: Path, text: str) -> None:
    assert (parses(text, beside), fits(text)) == (True, True)


@pytest.mark.parametrize("text", WRONG)
def test_typical_mistakes_are_refused_by_both(beside: Path, text: str) -> None:
    assert (parses(text, beside), fits(text)) == (False, False)


@pytest.mark.parametrize("name", [name for name in names() if name.endswith(".toml")])
def test_samples(name: str) -> None:
    assert fits(path(name).read_text())


def test_policies_in_the_documentation() -> None:
    texts = [found for page in sorted((ROOT / "docs").rglob("*.md")) for found in _policies(page)]
    assert len(texts) > 3
    for text in texts:
        assert fits(text), text


@pytest.mark.parametrize("module", [inference_file, template_file, diversity_file])
def test_the_example_that_documents_each_kind(module: Any) -> None:
    """The printed reference shows it."""
    lines = textwrap.dedent(module.__doc__[module.__doc__.index("\n") :]).splitlines()
    text = "\n".join(lines[: next((k for k, line in enumerate(lines) if line.startswith("With ")), None)])
    assert "kind =" in text
    assert fits(text), text


def _policies(page: Path) -> list[str]:
    """Whole policies: pieces of some, such as a single section, are not checked."""
    found = re.findall(r"^```toml\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    whole = [text for text in found if "kind =" in text or ("[sensitive]" in text and "[threshold]" in text)]
    return [text for text in whole if "..." not in text]
