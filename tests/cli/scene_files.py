"""The files that the scenes name in braces."""

from __future__ import annotations

import random
from pathlib import Path

import sordino
from bank import BANK, COLUMNS
from diseased import write_people
from sordino.cli import main
from sordino.data.write_hierarchy import write_hierarchy
from sordino.experiments.datasets import named

__all__ = ["make_files"]


def make_files(place: Path) -> dict[str, Path]:
    """Everything that the scenes name."""
    chance = random.Random(7)
    files = {"out": place / "out", "nowhere": place / "nowhere"}
    files["out"].mkdir()

    def write(name: str, text: str, file: str) -> None:
        files[name] = place / file
        files[name].write_text(text, encoding="utf-8")

    records = [{item for item in "abcdefgxy" if chance.random() < (0.55 if item == "x" else 0.6)} for _ in range(60)]
    rows = [f"p{u:02},{item}" for u, record in enumerate(records) for item in sorted(record)]
    write("data", "\n".join(["customer,product", *rows]) + "\n", "data.csv")
    write("personal_data", "\n".join(["customer,product", *rows]) + "\n", "personal.csv")
    more = [f"p{u:02},{item}" for u in range(60) for item in "abcdefgxyz"]
    write("original", "\n".join(["customer,product", *more]) + "\n", "original.csv")
    after = [row for row in rows if chance.random() < 0.9 or row.startswith("p00")]
    kept = {row.split(",")[0] for row in after}
    after += [f"{row.split(',')[0]}," for row in rows if row.split(",")[0] not in kept]
    write("after", "\n".join(["customer,product", *sorted(after)]) + "\n", "after.csv")
    write("choices", "record,item\np00,a\np03,b\np07,y\n", "choices.csv")
    write("other_choices", "record,item\n" + "".join(f"p{u:02},{i}\n" for u in range(60) for i in "abcd"), "other.csv")
    write("more_choices", "record,item\np00,a\nstranger,b\n", "more.csv")
    write("groups", "item,group\n" + "".join(f"{item},g{k % 2}\n" for k, item in enumerate("abcdefgxy")), "groups.csv")
    write("safe", "a,x\na\na,b,x\na,b\nx\n", "safe.csv")
    policy = '[sensitive]\nitems = {}\n[threshold]\nrho = "{}"\n'
    sure = '[assurance]\nepsilon = "0.2"\ndelta = "0.1"\nmax_knowledge = 2\n'
    write("other_policy", policy.format('["y"]', "0.3"), "other.toml")
    write("sampled", policy.format('["x"]', "0.5") + sure, "sampled.toml")
    write("other_sampled", policy.format('["y"]', "0.3") + sure, "other_sampled.toml")
    absent = '[knowledge]\nabsent = "any"\n'
    write("absent", policy.format('["x"]', "0.5") + absent, "absent.toml")
    write("missing_absent", policy.format('["x", "nowhere"]', "0.5") + absent, "missing_absent.toml")
    write("fewer", "\n".join(["customer,product", *(row for row in rows if row < "p50")]) + "\n", "fewer.csv")
    write("missing_sampled", policy.format('["x", "nowhere"]', "0.5") + sure, "missing_sampled.toml")
    write(
        "table", "\n".join([",".join(COLUMNS), *(",".join(map(str, row.values())) for row in BANK)]) + "\n", "bank.csv"
    )
    files["value"] = Path("Trader")
    write("codes", "code,name\na,apple\nx,insulin\n", "codes.csv")
    template = (
        'kind = "template"\nclass = "Rating"\n[[template]]\ngiven = ["Job", "Country"]\nvalue = {}\nat_most = "{}"\n'
    )
    write("templates", template.format('{ Bankruptcy = "Discharged" }', "0.5"), "templates.toml")
    write("strict_templates", template.format('{ Bankruptcy = "Never" }', "0.2"), "strict_templates.toml")
    gone = template.replace("value", "values").format('{ Bankruptcy = ["Discharged", "Gone"] }', "0.5")
    write("missing_templates", gone, "missing_templates.toml")
    sick = place / "sick"
    sick.mkdir()
    files["sick"], files["diversity"] = write_people(sick)
    files["age"] = sick / "age.json"
    text = files["diversity"].read_text(encoding="utf-8")
    for name, old, new in (
        ("strict_diversity", "l = 3", "l = 30"),
        ("missing_diversity", "mined = true", 'mined = true\nrules = "gone.csv"'),
    ):
        files[name] = sick / f"{name}.toml"
        files[name].write_text(text.replace(old, new), encoding="utf-8")
    (sick / "gone.csv").write_text("Sex,not Disease\nM,gone\n", encoding="utf-8")
    _make_releases(files, place)
    return files


def _make_releases(files: dict[str, Path], place: Path) -> None:
    files["tree"] = place / "tree.json"
    common = sordino.InferencePolicy(["x"], "0.5")
    chosen = sordino.InferencePolicy(["x"], "0.5", per_record=files["choices"])

    def release(name: str, data: str, policy: object, **options: object) -> None:
        made = sordino.protect(files[data], policy, **options)  # type: ignore[arg-type]
        files[name] = made.write(place / name)

    release("release", "data", common)
    release("old_release", "data", common)
    release("second", "data", common, previous=str(files["release"]))
    release("counted", "data", sordino.InferencePolicy(["x"], "0.5", absent="any"))
    release("personal_release", "personal_data", chosen)
    release("sampled_release", "personal_data", sordino.read_policy(files["sampled"]), method="naka-sampled")
    release("generalized", "data", sordino.InferencePolicy(["x"], "0.7"), method="lgps")
    release("permuted", "data", sordino.InferencePolicy(["x"], "0.7"), method="cahd")
    release("template_release", "table", sordino.read_policy(files["templates"]))
    release("diversity_release", "sick", sordino.read_policy(files["diversity"]))
    gappy = sordino.read_table(files["sick"], missing=("F",))
    made = sordino.protect(gappy, sordino.read_policy(files["diversity"]))
    files["gappy_release"] = made.write(place / "gappy_release")
    release("tables_release", "sick", sordino.read_policy(files["diversity"]), form="tables")
    tables = {path.name: path for path in (files["tables_release"] / "publish").glob("*.csv")}
    files["grouped"], files["values"] = tables["data.csv"], next(p for n, p in tables.items() if n != "data.csv")
    build_hierarchy = sordino.build_hierarchy(files["data"], fanout=3)
    write_hierarchy(build_hierarchy, files["tree"])
    files["proof"], files["audit"] = place / "proof.json.gz", place / "audit.json"
    words = ["--sensitive", "x", "--rho", "0.5", "--quiet"]
    assert main(["audit", str(files["safe"]), *words, "--proof", str(files["proof"])]) == 0
    assert main(["audit", str(files["data"]), *words, "--json", str(files["audit"])]) == 1
    files["old_file"], files["copies"] = place / "old.csv", place / "copies"
    files["old_file"].write_text("old\n", encoding="utf-8")
    assert main(["sample", str(files["copies"])]) == 0
    files["data_sets"] = place / "data sets"
    files["data_sets"].mkdir()
    (files["data_sets"] / named("CRX").file).write_bytes(b"")
