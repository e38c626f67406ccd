"""check.html in a real browser: it is the page of web/check, it knows itself, and malicious releases only fail."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sordino
from browser import browser_path
from forging import gzipped, reseal, sealed
from page import CheckPage, opened_page
from signing import Signer
from sordino.errors import MissingExtra
from sordino.release.check_page import KNOWN, page_bytes
from sordino.verify.manifest import MANIFEST
from sordino.verify.shapes import SHAPES
from sordino.version import VERSION

ROOT = Path(__file__).parents[2]
SHOP = [{"a", "x"}, {"a"}, {"a", "b", "x"}, {"a", "b"}, {"b"}, {"b", "c"}]
in_a_browser = pytest.mark.skipif(browser_path() is None, reason="no Chromium (apt-get install chromium)")


@pytest.fixture
def publish(tmp_path: Path) -> Path:
    """The published part of an honest release."""
    policy = sordino.InferencePolicy(["x"], "0.5")
    return sordino.protect(SHOP, policy, seed=1).write(tmp_path / "out") / "publish"


def test_the_packaged_page_is_assembled_from_web() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "check_page.py", "--check"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_page_is_known_by_its_hash() -> None:
    assert KNOWN[VERSION] == hashlib.sha256(page_bytes()).hexdigest()
    assert KNOWN[VERSION] in (ROOT / "docs" / "notes" / "verifier.md").read_text(encoding="utf-8")


def test_every_shape_is_on_the_page_and_in_the_documentation() -> None:
    page = page_bytes().decode()
    text = (ROOT / "docs" / "notes" / "verifier.md").read_text(encoding="utf-8")
    for shape in SHAPES:
        assert f"SHAPES.{shape} = {{" in page
        assert f"| `{shape}` |" in text


def test_the_page_fetches_nothing() -> None:
    page = page_bytes().decode()
    assert re.search(
        r"content=\"default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:", page
    )
    script = page[page.index("<script>") :]
    for word in ("innerHTML", "eval(", "Function(", "fetch(", "XMLHttpRequest", "import(", "document.write", "http"):
        assert word not in script.replace("http-equiv", "").replace("http://www.w3.org/", ""), word


def test_a_page_of_the_publishers_own_is_refused(publish: Path) -> None:
    page = publish / "check.html"
    page.write_bytes(page.read_bytes().replace(b"The release is NOT valid", b"The release is valid"))
    reseal(publish)
    assert sordino.verify(publish).reason == f"check.html is not the page that sordino {VERSION} publishes"
    reseal(publish, lambda document: document.update(sordino="9.0"))
    assert sordino.verify(publish).answer == "not checked"
    page.unlink()
    assert sordino.verify(publish).reason == "check.html is missing"


@in_a_browser
def test_the_page_knows_itself(publish: Path, check_page: CheckPage) -> None:
    assert check_page.check(publish)["answer"] == "holds"
    page = publish / "check.html"
    honest = page.read_bytes()
    for old, new in (
        (b"The release is NOT valid", b"The release is valid"),
        (b"<h1>Check", b"<h1>Trust"),
        (b"\n", b"\r\n"),
    ):
        page.write_bytes(honest.replace(old, new))
        reseal(publish)
        check_page.compare(publish, sordino.verify(publish))
        assert "is not the page" in check_page.check(publish)["reason"]


@in_a_browser
def test_files_that_are_missing_or_too_many(publish: Path, check_page: CheckPage) -> None:
    for name in ("proof.json.gz", "README.txt", "data.jsonl", "check.html"):
        content = (publish / name).read_bytes()
        (publish / name).unlink()
        assert check_page.check(publish)["reason"] == f"{name} is missing" == sordino.verify(publish).reason
        (publish / name).write_bytes(content + b" ")
        assert "was changed" in check_page.check(publish)["reason"]
        (publish / name).write_bytes(content)
    (publish / "names.csv").write_text("Alice\n")
    check_page.compare(publish, sordino.verify(publish))
    (publish / MANIFEST).unlink()
    assert check_page.check(publish)["headline"] == "NOT CHECKED"


NAMES = (
    "<img src=x onerror=alert(1)>",
    "<script>document.title='owned'</script>",
    "javascript:alert(1)",
    "__proto__",
    "10",
    "\u202egnp",
)


@in_a_browser
def test_names_do_nothing(tmp_path: Path, check_page: CheckPage) -> None:
    """Items that are called like scripts, like what every object has, or like numbers, are names like any others."""
    records = [{name, "a"} for name in NAMES] + [{"a"}] * 20 + [set(NAMES)] + [{"constructor"}, {"a", "constructor"}]
    policy = sordino.InferencePolicy([*NAMES, "constructor"], "0.5")
    out = sordino.protect(records, policy, seed=1).write(tmp_path / "out") / "publish"
    check_page.compare(out, sordino.verify(out))
    reseal(out, lambda document: document["policy"].update(knowledge=3, sensitive=[*NAMES]))
    check_page.compare(out, sordino.verify(out))
    for name in NAMES:
        reseal(out, lambda document, name=name: document.update(shape=name))
        told = check_page.check(out)
        assert told["answer"] == "fails"
    tab = check_page.tab
    assert tab.ask("document.title") == "Check a release"
    assert tab.ask("document.querySelectorAll('img, script').length") == 1
    assert tab.complaints() == []


def _proof(publish: Path, change: Callable[[Any], object]) -> None:
    path = publish / "proof.json.gz"
    proof = json.loads(gzip.decompress(path.read_bytes()))
    change(proof)
    rest = {key: value for key, value in proof.items() if key != "sha256"}
    proof["sha256"] = hashlib.sha256(json.dumps(rest, separators=(",", ":")).encode()).hexdigest()
    path.write_bytes(gzipped(json.dumps(proof, separators=(",", ":")).encode()))
    reseal(publish)


def relisted(publish: Path, change: Callable[[Any], Any]) -> None:
    document = json.loads((publish / MANIFEST).read_bytes())
    (publish / MANIFEST).write_bytes(sealed({**document, "files": change(document["files"])}))


TRAPS: dict[str, Callable[[Path], object]] = {
    "a path in the list of files": lambda out: relisted(
        out, lambda files: files | {"../../etc/passwd": files["README.txt"]}
    ),
    "data elsewhere": lambda out: reseal(out, lambda d: d["data"].update(file="../data.jsonl")),
    "data at the root": lambda out: reseal(out, lambda d: d["data"].update(file="/data.jsonl")),
    "giant units": lambda out: _proof(
        out, lambda p: p["items"]["x"].update(units=[10**400] * len(p["items"]["x"]["units"]))
    ),
    "a giant record": lambda out: _proof(out, lambda p: p["items"]["x"].update(open=[2**70])),
    "a negative record": lambda out: _proof(out, lambda p: p["items"]["x"].update(open=[-(2**70)])),
    "half a record": lambda out: _proof(out, lambda p: p["items"]["x"].update(open=[0.5])),
    "giant numbers of records": lambda out: reseal(out, lambda d: d.update(records=10**300)),
    "giant thresholds": lambda out: reseal(out, lambda d: d["policy"].update(rho=f"{10**70 - 1}/{10**70}")),
    "giant files": lambda out: relisted(out, lambda files: {n: {**e, "bytes": 10**30} for n, e in files.items()}),
    "a deep manifest": lambda out: (out / MANIFEST).write_bytes(b'{"format":' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
    "a deep proof": lambda out: (out / "proof.json.gz").write_bytes(gzipped(b"[" * 1_000_000)) and reseal(out),
    "an open manifest": lambda out: (out / MANIFEST).write_bytes(b'{"a":' * 100_000),
    "no JSON at all": lambda out: (out / MANIFEST).write_bytes(b"\xff\xfe\x00"),
    "an empty manifest": lambda out: (out / MANIFEST).write_bytes(b""),
    "numbers that are none": lambda out: (out / MANIFEST).write_bytes(b'{"format": NaN, "records": -01e}'),
    "data that are no text": lambda out: (out / "data.jsonl").write_bytes(b"\x00\xff" * 1000) and reseal(out),
    "a line of ten million": lambda out: (
        (out / "data.jsonl").write_bytes(b'["' + b"a" * 10_000_001 + b'"]\n') and reseal(out)
    ),
    "a report that is no text": lambda out: (
        (out / "report.html").write_bytes(b"\x1f\x8b\xff") and reseal(out, words=False)
    ),
    "a README that is no text": lambda out: (
        (out / "README.txt").write_bytes(b"\x1f\x8b\xff") and reseal(out, words=False)
    ),
    "a page that is no text": lambda out: (out / "check.html").write_bytes(b"\x1f\x8b\xff") and reseal(out),
    "the prototype": lambda out: reseal(out, lambda d: d["policy"].update(per_item={"__proto__": "0.5"})),
}


@in_a_browser
@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_only_fails(trap: str, publish: Path, check_page: CheckPage) -> None:
    TRAPS[trap](publish)
    own = sordino.verify(publish)
    told = check_page.check(publish)
    assert own.answer != "holds"
    assert told["answer"] == own.answer, (own.reason, told["reason"])
    assert told["seconds"] < 30
    assert check_page.tab.complaints() == []
    assert check_page.tab.ask("[1 + 1, {}.polluted === undefined].join()") == "2,true", "it still works"


@in_a_browser
def test_lines_of_no_encoding_at_all(tmp_path: Path, check_page: CheckPage) -> None:
    source = tmp_path / "t.csv"
    source.write_text("a,x\na\na,b,x\na,b\n")
    data = sordino.read_baskets(source, layout="baskets")
    policy = sordino.InferencePolicy(["x"], "0.5")
    out = sordino.protect(data, policy, seed=1).write(tmp_path / "out") / "publish"
    for line, reason in ((b"\xfd,\xfd\n", "invalid UTF-8"), (b"\xff\xfe,\xfd\n", "the text is UTF-16, not UTF-8")):
        (out / "data.csv").write_bytes(line * 4)
        reseal(out)
        check_page.compare(out, sordino.verify(out))
        assert check_page.check(out)["reason"] == reason


@pytest.mark.slow
@in_a_browser
@pytest.mark.parametrize("name", ["proof.json.gz", "data.csv.gz"])
def test_a_gzip_bomb_is_not_unpacked(name: str, tmp_path: Path, check_page: CheckPage) -> None:
    source = tmp_path / "t.csv.gz"
    source.write_bytes(gzip.compress(b"a,x\na\na,b,x\na,b\n"))
    policy = sordino.InferencePolicy(["x"], "0.5")
    out = (
        sordino.protect(sordino.read_baskets(source, layout="baskets"), policy, seed=1).write(tmp_path / "out")
        / "publish"
    )
    (out / name).write_bytes(gzipped(b"\n" * (1 << 28)))  # 256 MiB in 260 kB
    reseal(out)
    own, told = sordino.verify(out), check_page.check(out)
    assert own.answer == told["answer"] == "not checked"
    assert told["reason"] == own.reason
    assert "when unzipped, which is too much" in told["reason"]


def all_open(publish: Path, records: list[list[str]], rho: str, knowledge: int | None) -> None:
    """These records in the place of the published ones, and a proof that leaves all of them to be searched."""
    lines = "".join("\x1f".join(record) + "\n" for record in records)
    (publish / "data.jsonl").write_text("".join(json.dumps(r, separators=(",", ":")) + "\n" for r in records))
    needy = [u for u, r in enumerate(records) if "x" in r and len(r) > 1 and r not in records[:u]]
    fraction = Fraction(rho)
    entry = {
        "rho": f"{fraction.numerator}/{fraction.denominator}",
        "record": [],
        "alibi": [],
        "units": [],
        "open": needy,
    }
    head = {"data": hashlib.sha256(lines.encode()).hexdigest(), "records": len(records), "knowledge": knowledge}
    shown = any("x" in record for record in records)
    _proof(publish, lambda proof: proof.update(head, items={"x": entry} if shown else {}))
    reseal(
        publish,
        lambda document: (
            document.update(records=len(records)),
            document["policy"].update(rho=rho, knowledge=knowledge),
        ),
    )


@in_a_browser
def test_what_is_open_is_searched(publish: Path, check_page: CheckPage) -> None:
    """Random records, narrow and wide, all left open: both verifiers find the same."""
    rng = random.Random(5)
    answers = []
    for number in range(40):
        items = [f"i{k:02}" for k in range(rng.choice([4, 6, 8, 40, 70]))]
        longest = len(items) if len(items) > 8 else rng.randint(1, len(items))
        records = []
        for _ in range(rng.randint(6, 25)):
            own = rng.sample(items, rng.randint(max(0, longest - 6), longest))
            records.append(sorted([*own, "x"] if rng.random() < 0.3 else own))
        rho = rng.choice(["0.5", "0.75", "0.9", "0.2"])
        all_open(
            publish, records, rho, rng.choice([None, None, 1, 2, 3]) if len(items) <= 8 else rng.choice([None, 1, 2])
        )
        own, told = sordino.verify(publish), check_page.check(publish)
        assert (told["answer"], told["reason"]) == (own.answer, own.reason), number
        answers.append(str(own.answer))
    assert {"holds", "fails"} <= set(answers)


@in_a_browser
def test_the_page_in_a_browser(publish: Path, tmp_path: Path) -> None:
    """Nothing is logged, nothing is fetched; keys reach everything; on a telephone nothing sticks out; folders work."""
    page = tmp_path / "page"
    page.mkdir()
    with opened_page(page) as opened:
        tab = opened.tab
        assert tab.requests() == [(page / "check.html").resolve().as_uri()]
        reached = []
        for _ in range(3):
            tab.press("Tab", 9)
            reached.append(tab.ask("document.activeElement.id || document.activeElement.tagName"))
        assert reached == ["folder", "files", "SUMMARY"]
        told = opened.check(publish)
        assert told["headline"] == "The release is valid"
        assert tab.ask("document.activeElement.id") == "verdict"
        assert "valid" in tab.ask("document.getElementById('status').textContent")
        assert tab.ask("document.getElementById('listing').children.length") == 5
        tab.call("Emulation.setDeviceMetricsOverride", width=360, height=800, deviceScaleFactor=1, mobile=True)
        assert tab.ask("document.documentElement.scrollWidth") <= 360
        # a whole release, with keep/ beside publish/, and a folder of somebody's own in it
        given = [f"out/{p.relative_to(publish.parent)}" for p in sorted(publish.parent.rglob("*")) if p.is_file()]
        names = f"releaseAmong({json.dumps(given)}.map((path) => [path, new File([], path)]))"
        assert set(tab.ask(f"[...{names}.files.keys()]")) == {p.name for p in publish.iterdir()}
        more = (
            f"releaseAmong({json.dumps([*given, 'out/publish/own/x.csv'])}.map((path) => [path, new File([], path)]))"
        )
        assert "own" in tab.ask(f"[...{more}.files.keys()]")
        assert "more than one" in tab.ask("releaseAmong([['a/manifest.json', 1], ['b/manifest.json', 1]]).problem")
        assert tab.complaints() == []
        assert len(tab.requests()) == 1


@in_a_browser
def test_a_check_can_be_stopped(publish: Path, tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.mkdir()
    with opened_page(page) as opened:
        opened.tab.ask("checkRelease = async () => { for (;;) { pace.last = 0; await rest('Waiting', 1, 4) } }; 0")
        opened.tab.ask(
            "checkRelease = (own => async (f, k) => { const real = own(f, k).catch((e) => ({ answer: NOT_CHECKED, "
            "reason: e.message, sentences: [e.message], manifest: null })); return real })(checkRelease); 0"
        )
        opened.start(publish)
        opened.tab.ask("new Promise((go) => setTimeout(go, 200))")
        assert not opened.tab.ask("document.getElementById('work').hidden")
        assert opened.tab.ask("document.getElementById('bar').value") == 0.25
        opened.tab.ask("document.getElementById('stop').click()")
        assert opened.result()["reason"] == "the check was stopped"


@in_a_browser
def test_signatures(publish: Path, check_page: CheckPage) -> None:
    """A signed manifest: by whom, if the key is known; and not by anybody else."""
    pytest.importorskip("cryptography")
    from sordino.release.sign import new_key, sign_manifest

    pem, mine = new_key()
    _, other = new_key()

    def both(key: str) -> tuple[str, str]:
        own, told = sordino.verify(publish, key=key or None), check_page.check(publish, key)
        assert (told["answer"], told["reason"]) == (own.answer, own.reason)
        assert [s for s in told["sentences"] if "key" in s] == [s for s in own.sentences() if "key" in s]
        return str(own.answer), " ".join(own.sentences())

    assert both(mine.line()) == ("fails", "the manifest is not signed: there is no manifest.json.minisig.")
    assert sign_manifest(publish, pem).line() == mine.line()
    assert "by whom was not checked" in both("")[1]
    assert "signed by the key that was stated" in both(mine.line())[1]
    assert "another key" in both(other.line())[1]
    signature = publish / "manifest.json.minisig"
    honest = signature.read_text()
    for old, new in (
        ("signature of manifest.json by its publisher", "call me"),
        ("trusted comment: manifest.json\n", "trusted comment: Alice\n"),
    ):
        signature.write_text(honest.replace(old, new))
        assert "no place in it" in both(mine.line())[1]
    signature.write_text(honest + "Alice\n")
    assert "is not a signature" in both("")[1]
    signature.write_text(
        honest.replace("trusted comment: manifest.json\n", "trusted comment: timestamp:1\tfile:manifest.json\n")
    )
    assert "is not by the key" in both(mine.line())[1]
    signature.write_text(honest)
    reseal(publish, lambda document: document.update(method="dist"))
    assert "is not by the key" in both(mine.line())[1]
    told = check_page.check(publish, "RWnonsense")
    assert (told["answer"], "no public key" in told["reason"]) == ("not checked", True)


@in_a_browser
def test_a_signature_of_minisign_itself(tmp_path: Path, publish: Path, check_page: CheckPage) -> None:
    pytest.importorskip("cryptography")
    minisign = shutil.which("minisign")
    if minisign is None:
        pytest.skip("no minisign (apt-get install minisign)")
    key, secret = tmp_path / "k.pub", tmp_path / "k.sec"
    subprocess.run([minisign, "-G", "-W", "-p", key, "-s", secret], check=True, capture_output=True)
    subprocess.run([minisign, "-S", "-s", secret, "-m", publish / MANIFEST], check=True, capture_output=True)
    assert sordino.verify(publish, key=str(key)).holds
    assert check_page.check(publish, key.read_text())["answer"] == "holds"


@in_a_browser
def test_a_browser_without_ed25519_says_so(tmp_path: Path, publish: Path) -> None:
    pytest.importorskip("cryptography")
    from sordino.release.sign import new_key, sign_manifest

    pem, mine = new_key()
    sign_manifest(publish, pem)
    page = tmp_path / "page"
    page.mkdir()
    with opened_page(page) as opened:
        opened.tab.ask("crypto.subtle.importKey = () => Promise.reject(new Error('NotSupported')); 0")
        told = opened.check(publish, mine.line())
    assert told["answer"] == "not checked"
    assert "cannot check signatures" in told["reason"]


def test_without_the_library_nothing_is_said_about_a_signature(publish: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That a library is missing says nothing against the release: no verdict, but what to install."""
    mine = Signer(bytes(32))
    mine.write(publish)
    for name in ("cryptography", "cryptography.hazmat.primitives"):
        monkeypatch.setitem(sys.modules, name, None)
    assert sordino.verify(publish).holds
    with pytest.raises(MissingExtra, match="sign"):
        sordino.verify(publish, key=mine.line())


@in_a_browser
def test_a_key_can_be_pasted_as_its_file_has_it(publish: Path, check_page: CheckPage) -> None:
    mine = Signer(bytes(32))
    mine.write(publish)
    assert (
        check_page.check(publish, f"untrusted comment: minisign public key 12AB\n{mine.line()}\n")["answer"] == "holds"
    )


@in_a_browser
def test_a_folder_in_the_folder_is_seen_however_much_it_holds(check_page: CheckPage) -> None:
    """Dropped folders are walked by the page itself."""
    walk = """(async () => {
        const file = (name) => ({ name, isFile: true, file: (done) => done(new File([], name)) });
        const folder = (name, inside) => ({ name, isDirectory: true,
            createReader: () => ({ rest: [inside, []], readEntries(done) { done(this.rest.shift()) } }) });
        const many = Array.from({ length: 10001 }, (_, k) => file(String(k)));
        const top = folder("publish", [file("manifest.json"), folder("own", many), folder("empty", [])]);
        const given = await dropped({ items: [{ kind: "file", webkitGetAsEntry: () => top }] });
        return [...releaseAmong(given).files.keys()].sort().join();
    })()"""
    answer = check_page.tab.call("Runtime.evaluate", expression=walk, awaitPromise=True, returnByValue=True)
    assert answer["result"]["value"] == "empty,manifest.json,own"
