"""Personal choices and sampled assurance on the command line and in release folders; what people chose never leaves."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import sordino
from cli.shell import Run
from sordino.sample import path

SECRET = "tellurium salve"  # chosen by one person only, and nobody's possession


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some customers with ids, their choices, and policies of every sort."""
    place = tmp_path_factory.mktemp("personal")
    lines = path("pharmacy.csv").read_text().splitlines()[:400]
    rows = [f"c{u:04},{item}" for u, line in enumerate(lines) for item in line.split(",")]
    (place / "data.csv").write_text("\n".join(["customer,product", *rows]) + "\n")
    told = [f"c{u:04},{item}" for u in range(0, 400, 7) for item in lines[u].split(",")[:2]]
    for name, more in (("choices.csv", []), ("more.csv", ["stranger,condoms"])):
        (place / name).write_text("\n".join(["who,what", *told, f"c0003,{SECRET}", *more]) + "\n")
    choices = 'per_record = { file = "choices.csv", record = "who", item = "what" }\n'
    rho = '[threshold]\nrho = "0.5"\n'
    sure = '[assurance]\nepsilon = "0.1"\ndelta = "0.1"\nmax_knowledge = 3\n'
    (place / "personal.toml").write_text(f"[sensitive]\n{choices}{rho}")
    (place / "sampled.toml").write_text(f'[sensitive]\nitems = ["sertraline", "methadone"]\n{rho}{sure}')
    (place / "both.toml").write_text(f'[sensitive]\nitems = ["sertraline"]\n{choices}{rho}{sure}')
    for name in ("personal", "both"):
        text = (place / f"{name}.toml").read_text()
        (place / f"{name}_more.toml").write_text(text.replace("choices.csv", "more.csv"))
    return place


def published(out: Path) -> dict[str, str]:
    texts = {}
    for file in (out / "publish").iterdir():
        raw = file.read_bytes()
        texts[file.name] = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()
    return texts


def test_a_personal_release_from_data_to_verdict(run: Run, folder: Path) -> None:
    out = folder / "out"
    data, policy = str(folder / "data.csv"), str(folder / "personal.toml")
    assert run("audit", data, "--policy", policy).code == 1
    protected = run("protect", data, "--policy", policy, "--out", str(out))
    assert protected.code == 0, protected.out + protected.err
    assert "keep only" in (protected.out + protected.err)
    alone = run("verify", str(out / "publish"))
    assert alone.code == 3
    assert alone.out.startswith("NOT CHECKED: what people chose was not given")
    as_published = run("verify", str(out), "--policy", str(out / "keep" / "policy.toml"))
    assert as_published.code == 3
    assert "needs --original DATA" in " ".join(as_published.out.split())
    typo = run("verify", str(out), "--policy", policy, "--original", str(folder / "nowhere.csv"))
    assert (typo.code, "no such file" in typo.err) == (2, True)
    exactly = run("verify", str(out), "--policy", policy, "--original", data)
    assert exactly.code == 0, exactly.out + exactly.err
    assert "NOT CHECKED" not in (exactly.out + exactly.err)
    again = run("audit", str(out), "--policy", policy, "--original", data, "--allow-missing")
    assert again.code == 0, again.out + again.err


def test_choices_as_an_option_say_the_same(run: Run, folder: Path) -> None:
    data = str(folder / "data.csv")
    (folder / "bare.toml").write_text('[sensitive]\nitems = ["methadone"]\n[threshold]\nrho = "0.5"\n')
    by_option = run(
        "audit", data, "--policy", str(folder / "bare.toml"), "--choices", str(folder / "choices.csv"), "--json", "-"
    )
    (folder / "one.toml").write_text(
        '[sensitive]\nitems = ["methadone"]\nper_record = "choices.csv"\n[threshold]\nrho = "0.5"\n'
    )
    by_policy = run("audit", data, "--policy", str(folder / "one.toml"), "--json", "-")
    one, two = (json.loads(said.out) for said in (by_option, by_policy))
    assert one | {"seconds": 0} == two | {"seconds": 0}
    assert one["personal"] is True


def test_a_weakened_release_is_refused_with_the_original(folder: Path) -> None:
    """Published as it was, the file fails; and a release about other choices is another release."""
    policy = sordino.read_policy(folder / "personal.toml")
    release = sordino.protect(folder / "data.csv", policy, method="mine")
    out = release.write(folder / "honest")
    weaker = sordino.InferencePolicy([], "0.9", per_record=policy.per_record)  # type: ignore[union-attr]
    assert not sordino.verify(out, weaker, original=folder / "data.csv").holds
    everything = sordino.InferencePolicy(
        [], "0.5", per_record={f"c{u:04}": sordino.read_baskets(folder / "data.csv").names for u in range(400)}
    )
    assert not sordino.verify(out, everything, original=folder / "data.csv").holds


@pytest.mark.parametrize("ids", ["renumber", "shuffle", "keep"])
def test_a_release_is_verified_whatever_became_of_the_order(folder: Path, ids: str) -> None:
    policy = sordino.read_policy(folder / "personal.toml")
    data = sordino.read_baskets(folder / "data.csv")
    release = sordino.protect(data, policy, method="mine", ids=ids)
    out = release.write(folder / f"verified-{ids}")
    verdict = sordino.verify(out, policy, original=folder / "data.csv")
    assert (verdict.answer, verdict.reason) == ("holds", "searched")
    verdict = sordino.verify(out, policy)  # what is published of a person is less than what may be known
    assert verdict.answer == "not checked"
    assert "and only those" in verdict.reason
    shutil.copytree(out / "publish", folder / f"alone-{ids}")
    alone = sordino.verify(folder / f"alone-{ids}", policy)
    assert alone.answer == "not checked"
    assert ("and only those" if ids == "keep" else "other numbers") in alone.reason
    # the records as they were, released as if one person had chosen what nobody has: to the public it looks the same
    careless = sordino.InferencePolicy([], "0.5", per_record={"c0003": [SECRET]})
    raw = sordino.protect(data, careless, method="mine", ids=ids, missing="accept").write(folder / f"careless-{ids}")
    for known in (folder / "data.csv", None):
        verdict = sordino.verify(raw, policy, original=known)
        assert not verdict.holds
        assert "discloses" in verdict.reason


@pytest.mark.parametrize("policy", ["personal", "both"])
@pytest.mark.parametrize("ids", ["renumber", "shuffle", "keep"])
def test_nothing_that_is_published_or_said_tells_a_choice(run: Run, folder: Path, policy: str, ids: str) -> None:
    out = folder / f"leak-{policy}-{ids}"
    file = folder / f"{policy}_more.toml"
    words = ("protect", folder / "data.csv", "--policy", file, "--out", out, "--ids", ids)
    refused = run(*words)
    assert (refused.code, "1 record that the data do not have" in refused.err) == (2, True)
    said = run(*words, "--allow-missing")
    assert said.code == 0, said.out + said.err
    verified = run("verify", str(out))
    assert verified.code == 3, verified.out + verified.err
    texts = {**published(out), "refused": refused.err, "said": said.out + said.err}
    texts["verified"] = verified.out + verified.err
    for name, text in texts.items():
        assert SECRET not in text, name
        assert "stranger" not in text, name
        assert "c0003" not in text or name == "data.csv", name
    told = json.loads(texts["manifest.json"])["policy"]
    assert told["sensitive"] == ([] if policy == "personal" else ["sertraline"])
    assert told["personal"] is True
    assert SECRET in pq.read_table(out / "keep" / "choices.parquet").column("item").to_pylist()


def test_publish_is_the_same_whatever_was_chosen_as_long_as_the_data_are(tmp_path: Path) -> None:
    """Two sets of choices under which nothing need be deleted: not a byte of publish/ differs."""
    table = [{"a", "x"}, {"a"}, {"a", "b", "x"}, {"a", "b"}, {"b"}]
    outs = []
    for number, own in enumerate(({0: ["x"]}, {1: ["x", "nobody's"], 4: ["x"]})):
        policy = sordino.InferencePolicy([], "0.5", per_record=own)
        release = sordino.protect(table, policy, seed=1)
        assert release.unchanged
        outs.append(published(release.write(tmp_path / str(number))))
    assert outs[0] == outs[1]


@pytest.mark.parametrize("policy", ["sampled", "both"])
def test_a_sampled_release_says_that_it_is_sampled(run: Run, folder: Path, policy: str) -> None:
    out = folder / f"sampled-{policy}"
    data, file = str(folder / "data.csv"), str(folder / f"{policy}.toml")
    said = run("protect", data, "--policy", file, "--out", str(out), "--method", "naka-sampled", "--stopping", "paper")
    assert said.code == 0, said.out + said.err
    texts = published(out)
    words = " ".join(texts["README.txt"].split())
    for text in (words, texts["manifest.json"], " ".join((said.out + said.err).split())):
        assert "SAMPLED, not complete" in text
        assert "1, 2, ... up to 3 items" in text
        assert "1.980%" in text  # 1 - exp(-2 eps^2): what the clean samples prove
        assert "This is exact" not in text
        assert "checked exactly" not in text
    assert "nobody is now" not in (said.out + said.err)
    verified = run("verify", str(out), "--policy", file, "--original", data)
    assert verified.code == 0, verified.out + verified.err
    told = " ".join((verified.out + verified.err).split())
    assert "less than 10% of those who know so much can infer what a person minds above its threshold (sampled)" in told
    assert "at most 3 items of a person's record" in told
    assert "any part" not in told
    assert "nobody can" not in told
    assert run("verify", str(out), "--policy", file).code == 3
    audited = run("audit", data, "--policy", file)
    assert audited.code == 1
    assert "By sampling" in (audited.out + audited.err)


def test_policies_with_choices_and_assurance_read_back(folder: Path, tmp_path: Path) -> None:
    policy = sordino.read_policy(folder / "both.toml")
    release = sordino.protect(folder / "data.csv", policy, method="naka-sampled")
    out = release.write(tmp_path / "out")
    assert sordino.read_policy(out / "keep" / "policy.toml") == policy


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[sensitive]\nper_record = { record = "a" }\n', "must name a file"),
        ('[sensitive]\nper_record = { file = "nowhere.csv" }\n', "nowhere.csv"),
        ('[sensitive]\nper_record = { file = "choices.csv", recrod = "a" }\n', "Did you mean 'record'"),
        ('[sensitive]\nitems = ["a"]\n[assurance]\nepsilon = "0.1"\n', "delta is missing"),
        ('[sensitive]\nitems = ["a"]\n[assurance]\nepsilon = "2"\ndelta = "0.1"\nmax_knowledge = 0\n', "max_knowledge"),
        ('[sensitive]\nitems = ["a"]\n[assurence]\n', "Did you mean 'assurance'"),
    ],
    ids=["no file", "no such file", "typo", "no delta", "wrong numbers", "wrong section"],
)
def test_what_can_be_wrong_in_a_policy_file(run: Run, folder: Path, text: str, complaint: str) -> None:
    (folder / "wrong.toml").write_text(text + '[threshold]\nrho = "0.5"\n')
    said = run("audit", str(folder / "data.csv"), "--policy", str(folder / "wrong.toml"))
    assert said.code == 2
    assert complaint in (said.out + said.err)


def test_no_proof_where_there_is_none(run: Run, folder: Path) -> None:
    said = run("audit", str(folder / "data.csv"), "--policy", str(folder / "personal.toml"), "--proof", "p.json.gz")
    assert said.code == 2
    assert "no proofs" in (said.out + said.err)


def test_the_sample_policy_of_the_customers_own_choices() -> None:
    policy = sordino.read_policy(path("pharmacy_personal_policy.toml"))
    result = sordino.audit(path("pharmacy.csv"), policy)
    assert (result.holds, result.personal, len(result.remarks)) == (False, True, 1)
    assert "What people do NOT have was taken to be unknown" in result.remarks[0]
