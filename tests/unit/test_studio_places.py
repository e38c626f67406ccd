"""Nothing outside the folders named at the start is opened: not by a link, a name, or a policy that is typed in."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

import sordino
from sordino.errors import InputError
from sordino.studio.places import Places, bare_name
from sordino.studio.private import private_folder
from sordino.studio.reading import open_data
from sordino.studio.session import Session, Sessions, Shared, told
from sordino.studio.stated import FILES, SECTIONS, line_of, name_hierarchy, sensitive_names, state_content, state_text
from sordino.studio.steps.choose import read_percents
from sordino.studio.steps.database import source_of, without_password
from sordino.studio.toml import read_content, write_content


def test_files_of_the_folders_and_nothing_else(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    (inside / "deep").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.csv").write_text("a,b\n")
    (inside / "shop.csv").write_text("a,b\n")
    (inside / "deep" / "more.csv.gz").write_text("")
    (inside / ".hidden.csv").write_text("a\n")
    (inside / "program.exe").write_text("")
    (inside / "link.csv").symlink_to(outside / "secret.csv")
    (inside / "folder").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    assert [place.name for place in Places([inside]).files()] == ["in/shop.csv", "in/deep/more.csv.gz"]
    assert [place.name for place in Places([outside / "secret.csv"]).files()] == ["secret.csv"]
    with pytest.raises(InputError, match="no such file or folder"):
        Places([tmp_path / "nowhere"])


@pytest.mark.parametrize("name", ["", ".", "..", "../..", "a/..", ".bashrc", "a\0b", "C:", "x" * 300, "a\nb", "/"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(InputError):
        bare_name(name)


def test_names_lose_their_folders() -> None:
    assert bare_name("../../etc/passwd") == "passwd"
    assert bare_name("C:\\data\\shop.csv") == "shop.csv"
    assert bare_name("Käufe 2024.csv") == "Käufe 2024.csv"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    private = tmp_path / "private"
    private.mkdir()
    shared = Shared(Places([tmp_path]), tmp_path / "releases", private, 1 << 20)
    return Sessions(shared).begin("me")


@pytest.mark.parametrize(
    "text",
    [
        '[sensitive]\nfile = "{secret}"\n[threshold]\nrho = "0.5"\n',
        '[sensitive]\nfile = "../secret.txt"\n[threshold]\nrho = "0.5"\n',
        '[sensitive]\nitems = ["a"]\nper_record = "{secret}"\n[threshold]\nrho = "0.5"\n',
        '[sensitive]\nitems = ["a"]\nper_record = {{ file = "{secret}" }}\n[threshold]\nrho = "0.5"\n',
        'kind = "diversity"\nsensitive = "a"\nquasi = ["b"]\nl = 2\n[knowledge]\nrules = "{secret}"\n',
        'kind = "diversity"\nsensitive = "a"\nquasi = ["b"]\nl = 2\n[hierarchies]\nb = "{secret}"\n',
        'kind = "template"\n[hierarchies]\nb = "..\\\\secret.txt"\n[[template]]\ngiven = ["b"]\n',
        '[sensitive]\nfile = "link.txt"\n[threshold]\nrho = "0.5"\n',
        '[sensitive]\nnodes = ["a"]\nhierarchy = "{secret}"\n[threshold]\nrho = "0.5"\n',
        'labels = "{secret}"\n[sensitive]\nitems = ["a"]\n[threshold]\nrho = "0.5"\n',
        'kind = "template"\nlabels = {{ b = "../secret.txt" }}\n[[template]]\ngiven = ["b"]\n',
        '[sensitive]\nitems = ["a"]\nexcept_for = {{ file = "{secret}" }}\n[threshold]\nrho = "0.5"\n',
    ],
)
def test_a_policy_that_is_typed_in_opens_nothing_outside(
    session: Session, tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a\n")
    (session.folder / "link.txt").symlink_to(secret)
    monkeypatch.setattr(sordino, "read_policy", lambda _: pytest.fail("it was read"))
    state_text(session, text.format(secret=secret))
    assert session.policy is None
    assert "was not given to the studio" in session.problems[0]


def test_a_policy_may_name_what_was_given(session: Session) -> None:
    (session.folder / "quiet.txt").write_text("wine\n")
    state_text(session, '[sensitive]\nfile = "quiet.txt"\n[threshold]\nrho = "0.5"\n')
    assert session.problems == ()
    assert session.policy == sordino.InferencePolicy(["wine"], "0.5")


def test_every_key_that_opens_a_file_is_known() -> None:
    """The readers of policies open what lies beside the policy: by `.parent`, under keys that the studio looks at."""
    room = Path(sordino.__file__).parent / "policy"
    keys = set()
    for path in room.glob("*.py"):
        text = path.read_text()
        if "path.parent" in text:
            keys.add(path.name)
    assert keys == {"diversity_file.py", "inference_file.py", "labels.py", "template_file.py"}, (
        "look at FILES in stated"
    )
    schema = json.loads((room / "policy.schema.json").read_text())
    told = {key for key, entry in _entries(schema) if "file" in str(entry.get("description", "")).lower()}
    assert told <= {*FILES, *SECTIONS, "policy"}, told


def _entries(schema: object) -> Iterator[tuple[str, dict[str, object]]]:
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if isinstance(properties, dict):
            yield from ((key, entry) for key, entry in properties.items() if isinstance(entry, dict))
        for value in schema.values():
            yield from _entries(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _entries(value)


WHOLE = (
    '[sensitive]\nitems = ["wine", "a \\"b\\""]\n[threshold]\nrho = 0.3\nper_item = { wine = "1/3" }\n',
    '[sensitive]\npatterns = ["w*"]\n[threshold]\nrho = "50%"\nadaptive = { wine = 0.25 }\n[knowledge]\nitems = 2\n',
    'kind = "template"\nclass = "end"\n[[template]]\ngiven = ["job"]\nvalue = { "ill " = "flu" }\nat_most = 0.2\n'
    '[[template]]\ngiven = ["a", "b"]\nrarest = { ill = "50%" }\nat_most = "1/7"\n[bins]\na = { edges = [1, 2.50] }\n',
    'kind = "diversity"\nsensitive = "ill"\nquasi = ["job", "town"]\nl = 4\n[knowledge]\nmined = false\n',
    "",
)


@pytest.mark.parametrize("text", WHOLE)
def test_what_is_written_reads_back_as_the_same(text: str) -> None:
    content = tomllib.loads(text, parse_float=Decimal)
    assert tomllib.loads(write_content(content), parse_float=Decimal) == content
    assert read_content(write_content(content)) == content
    assert read_content("[[") is None


@pytest.mark.parametrize("text", [text for text in WHOLE if text])
def test_what_a_form_writes_is_the_same_policy(session: Session, text: str) -> None:
    state_text(session, text)
    policy, content = session.policy, session.content
    assert policy is not None, session.problems
    session.text = ""
    state_content(session, content)
    assert session.policy == policy


def test_what_forms_cannot_show_stays_when_a_form_is_used(session: Session) -> None:
    """Files that a text names are named again in the text that a form writes."""
    (session.folder / "who.csv").write_text("record,item\n0,wine\n")
    (session.folder / "towns.csv").write_text("A;West;*\nB;East;*\n")
    state_text(
        session,
        '[sensitive]\nitems = ["beer"]\nper_record = { file = "who.csv" }\n[threshold]\nrho = "0.5"\n',
    )
    assert session.problems == ()
    state_content(session, {**session.content, "threshold": {"rho": "0.4"}})
    assert session.problems == ()
    assert 'file = "who.csv"' in session.text
    assert session.policy.personal
    assert session.policy.rho == Fraction(2, 5)
    state_text(
        session,
        'kind = "diversity"\nsensitive = "ill"\nquasi = ["town"]\nl = 2\n[hierarchies]\ntown = "towns.csv"\n',
    )
    assert session.problems == ()
    state_content(session, {**session.content, "l": 3})
    assert session.problems == ()
    assert session.policy.hierarchies
    assert session.policy.l == 3


def test_what_is_half_said_is_in_the_text_with_its_problems(session: Session) -> None:
    state_content(session, {"kind": "diversity", "sensitive": "ill", "quasi": [], "l": 3})
    assert 'sensitive = "ill"' in session.text
    assert session.policy is None
    assert session.problems


@pytest.mark.parametrize(
    "number",
    ["1e99999999", "1e99999999999999999999999", "9" * 5000, "[" * 5000, '"1e99999999"', '"' + "9" * 5000 + '"'],
)
def test_numbers_that_no_machine_could_hold_are_problems_and_take_no_time(session: Session, number: str) -> None:
    """A page that reckons with one of them would stand still for all who use the studio."""
    begun = os.times().elapsed
    for key in ("rho", "adaptive", "per_item.wine"):
        rho = "" if key == "rho" else "rho = 0.5\n"
        state_text(session, f'[sensitive]\nitems = ["wine"]\n[threshold]\n{rho}{key} = {number}\n')
        assert session.policy is None
        assert session.problems
    assert os.times().elapsed - begun < 2
    assert read_percents(f"50, {number}", "inference") is None
    assert read_percents("50, 40%", "inference") == ["0.5", "0.4"]


def test_patterns_are_named_by_the_data(session: Session, tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text("wine,bread\nwater,milk\nmilk,bread\n")
    session.take(open_data(tmp_path / "shop.csv", "shop.csv", "shop.csv", None, {}))
    state_text(session, '[sensitive]\npatterns = ["w*"]\n[threshold]\nrho = "0.4"\n')  # of two with bread, one has wine
    assert session.problems == ()
    assert set(session.named.sensitive) == {"wine", "water"}
    assert sordino.audit(session.opened.data, session.policy).answer is sordino.Answer.FAILS
    state_text(session, '[sensitive]\npatterns = ["w*"]\n[threshold]\nrho = "7"\n')
    assert session.named is None
    assert set(sensitive_names(session)) == {"wine", "water"}, "the form still shows what is marked"
    state_text(session, '[sensitive]\npatterns = ["x*"]\n[threshold]\nrho = "0.5"\n')
    assert "the pattern 'x*' matches no item" in session.problems[0]


def test_problems_are_told_with_their_line() -> None:
    text = 'kind = "inference"\n[sensitive]\nitems = ["whine"]\n[threshold]\nrho = "7"\n'
    assert line_of(text, "'whine' occurs in no record") == 3
    assert line_of(text, "rho must be between 0 and 1") == 5
    assert line_of(text, "not valid TOML: Expected ']' (at line 2, column 4)") == 2
    assert line_of(text, "nothing of the kind") is None
    rules = 'kind = "template"\n[[template]]\ngiven = ["a"]\n\n[[template]]\ngiven = []\nat_most = "2"\n'
    assert line_of(rules, "template 2: 'given' names no column") == 6
    assert line_of(rules, "template 2: at_most: 2 is not between 0 and 1") == 7
    assert line_of(rules, "template 1: state what must not be inferred") == 2


def test_sessions_belong_to_their_visitors(tmp_path: Path) -> None:
    shared = Shared(Places([tmp_path]), tmp_path / "releases", tmp_path, 1 << 20)
    sessions = Sessions(shared)
    mine, yours = sessions.begin("me"), sessions.begin("you")
    assert sessions.find(mine.key, "me") is mine
    assert sessions.find(mine.key, "you") is None
    assert sessions.find(mine.key, None) is None
    assert sessions.find("guessed", "me") is None
    assert mine.folder != yours.folder
    assert mine.folder.stat().st_mode & 0o777 == 0o700
    for _ in range(60):
        sessions.begin("many")
    assert sessions.find(mine.key, "me") is None
    assert not mine.folder.exists()


def test_foreign_errors_are_told_without_their_text() -> None:
    with pytest.raises(ValueError, match="wine") as caught:
        raise ValueError("Mrs Smith bought wine")
    assert "Smith" not in told(caught.value)
    assert "ValueError at test_studio_places.py" in told(caught.value)
    assert told(InputError("no", hint="try this")) == "no\n  try this"


def test_the_private_folder_is_gone_at_the_end_and_after_a_kill() -> None:
    with private_folder() as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "upload.csv").write_text("a\n")
    assert not folder.exists()
    code = (
        "import os, sys\nfrom sordino.studio.private import private_folder\n"
        "with private_folder() as folder:\n    print(folder, flush=True)\n    os.kill(os.getpid(), 9)\n"
    )
    died = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    left = Path(died.stdout.strip())
    assert left.name.startswith("sordino-studio-")
    end = os.times().elapsed + 20
    while left.exists() and os.times().elapsed < end:
        pass
    assert not left.exists()


def test_hierarchies_are_named_in_the_text(session: Session) -> None:
    (session.folder / "towns.json").write_text('{"name": "ALL", "children": [{"name": "A"}, {"name": "B"}]}')
    with pytest.raises(sordino.PolicyError, match="does not name the column"):
        name_hierarchy(session, "town", "towns.json")
    state_content(session, {"kind": "diversity", "sensitive": "ill", "quasi": ["town"], "l": 2})
    for _ in range(2):
        name_hierarchy(session, "town", "towns.json")
        assert session.problems == ()
        assert session.policy.hierarchies["town"].names == ("ALL", "A", "B")
    assert session.text.count("[hierarchies]") == 1


def test_databases_lead_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "shop.duckdb").touch()
    (tmp_path / "shop.sqlite").touch()
    duck, lite = Places([tmp_path]).databases()
    assert source_of(duck, "", "visits", "") == (str(duck.path), str(duck.path), {"table": "visits"})
    assert source_of(lite, "", "", "SELECT 1")[2] == {"query": "SELECT 1"}
    for wrong in (
        (duck, "", "", "SELECT * FROM read_csv('/etc/passwd')"),
        (None, "duckdb:/etc/secret", "t", ""),
        (None, "sqlite:/etc/secret", "t", ""),
        (None, "/etc/passwd", "t", ""),
        (None, "", "t", ""),
        (None, "postgresql://x/y", "", ""),
        (None, "postgresql://x/y", "t", "SELECT 1"),
    ):
        with pytest.raises(InputError):
            source_of(*wrong)
    source, shown, _ = source_of(None, "postgresql://me:pass@db.house:5433/shop?sslpassword=pass", "visits", "")
    assert source.startswith("postgresql://me:pass@")
    assert shown == "postgresql://me@db.house:5433/shop"
    assert without_password("postgresql://me:pass@[bad/shop") == "postgresql://..."


def test_a_database_is_opened_and_told(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "shop.sqlite")) as made:
        made.execute("CREATE TABLE visits (customer INTEGER, product TEXT)")
        made.executemany("INSERT INTO visits VALUES (?, ?)", [(1, "wine"), (1, "beer"), (2, "wine"), (3, "milk")])
        made.commit()
    opened = open_data(str(tmp_path / "shop.sqlite"), "visits", "shop.sqlite", None, {"table": "visits"})
    assert len(opened.data) == 3
    assert not opened.table
    asked = open_data(
        str(tmp_path / "shop.sqlite"), "query", "shop.sqlite", "table", {"query": "SELECT product FROM visits"}
    )
    assert asked.table
    assert len(asked.data) == 4
