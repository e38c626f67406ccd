"""A scene for every way through every command, and for every option values that show whether it is used.

A scene is a command line whose words may name files of `make_files` in braces. What an option is stated with (PROBES)
changes what comes out, if it is used at all: the result, the page, the files, or the error that it leads to.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import sordino
from bank import BANK, COLUMNS
from diseased import write_people
from sordino.cli import (
    datasets,
    diversity,
    experiment,
    hierarchy,
    inference,
    init,
    main,
    report,
    sample,
    template,
    verify,
)
from sordino.cli.ways import Way
from sordino.data.write_hierarchy import write_hierarchy
from sordino.experiments.datasets import named

INLINE = {"--sensitive": "x", "--rho": "0.5"}
SEVENTY = {"--sensitive": "x", "--rho": "0.7"}
PERSONAL = {**INLINE, "--choices": "{choices}"}
Words = dict[str, str | None]


@dataclass(frozen=True)
class Scene:
    """A command, its arguments and options (option -> value, None for a flag), and the way that it takes.

    `probes` replace those of PROBES: what an option is stated with here.
    """

    command: str
    arguments: tuple[str, ...]
    options: Words
    way: Way | None  # None: a command that has one way only, and uses all its options there
    probes: dict[str, tuple[Words, Words]] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()  # options whose use cannot be seen in this scene


# option -> (what is stated in both runs, what is stated in the second)
PROBES: dict[str, tuple[Words, Words]] = {
    "--policy": ({}, {"--policy": "{other_policy}", "--sensitive": "-", "--rho": "-"}),
    "--sensitive": ({}, {"--sensitive": "y"}),
    "--rho": ({}, {"--rho": "0.9"}),
    "--knowledge": ({}, {"--knowledge": "1"}),
    "--adaptive": ({}, {"--adaptive": None}),
    "--choices": ({}, {"--choices": "{choices}"}),
    "--layout": ({}, {"--layout": "baskets"}),
    "--record": ({}, {"--record": "product"}),
    "--item": ({}, {"--item": "customer"}),
    "--json": ({}, {"--json": "{out}/new.json"}),
    "--top": ({}, {"--top": "0"}),
    "--time-limit": ({}, {"--time-limit": "0"}),
    "--jobs": ({}, {"--jobs": "1"}),
    "--proof": ({"--rho": "0.99"}, {"--proof": "{out}/new.gz"}),
    "--allow-missing": ({"--sensitive": "x,nowhere"}, {"--allow-missing": None}),
    "--delimiter": ({}, {"--delimiter": ";"}),
    "--key": ({}, {"--key": "RWQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}),
    "--null": ({}, {"--null": "{value}"}),
    "--group": ({}, {"--group": "Age"}),
    "--values": ({}, {"--values": "{table}"}),
    "--original": ({}, {"--original": "{original}"}),
    "--quiet": ({}, {"--quiet": None}),
    "--out": ({}, {"--out": "{out}/another"}),
    "--force": ({}, {"--force": None}),
    "--method": ({}, {"--method": "global"}),
    "--seed": ({}, {"--seed": "17"}),
    "--ids": ({}, {"--ids": "keep"}),
    "--heuristic": ({}, {"--heuristic": "dist"}),
    "--b-max": ({}, {"--b-max": "3"}),
    "--t-max": ({}, {"--t-max": "3"}),
    "--hierarchy": ({}, {"--hierarchy": "{tree}"}),
    "--column": ({}, {"--column": "Age"}),
    "--quantile": ({}, {"--quantile": "3"}),
    "--width": ({}, {"--width": "20"}),
    "--edges": ({}, {"--edges": "30,50"}),
    "--then-maximal": ({}, {"--then-maximal": None}),
    "--form": ({}, {"--form": "tables"}),
    "--stopping": ({}, {"--stopping": "paper"}),
    "--improve": ({}, {"--improve": "3"}),
    "--parts": ({}, {"--parts": "2"}),
    "--option": ({}, {"--option": "nonsense=1"}),
    "--no-rules": ({}, {"--no-rules": None}),
    "--no-bound": ({}, {"--no-bound": None}),
    "--unpaired": ({}, {"--unpaired": None}),
    "--errors": ({}, {"--errors": None}),
    "--methods": ({}, {"--methods": "global"}),
    "--l": ({}, {"--l": "2"}),
    "--prefer": ({}, {"--prefer": "nonsense"}),
    "--fresh": ({}, {"--fresh": None}),
    "--by": ({}, {"--by": "frequency"}),
    "--fanout": ({}, {"--fanout": "2"}),
    "--depth": ({}, {"--depth": "0"}),
    "--most": ({}, {"--most": "1"}),
    "--quick": ({}, {"--quick": None}),
    "--data": ({}, {"--data": "nothing"}),
    "--draws": ({}, {"--draws": "2"}),
    "--url": ({}, {"--url": "file:///nowhere"}),
    "--query": ({}, {"--query": "SELECT 1"}),
    "--table": ({}, {"--table": "people"}),
    "--to": ({}, {"--to": "sqlite:{out}/new.db?table=people"}),
    "--to-table": ({"--to": "sqlite:{out}/new.db"}, {"--to-table": "people"}),
    "--database": ({}, {"--database": "sqlite:{out}/new.db?table=people"}),
    "--quasi": ({}, {"--quasi": "Sex"}),
    "--negative": ({}, {"--negative": None}),
    "--min-expectation": ({}, {"--min-expectation": "0.5"}),
    "--min-confidence": ({}, {"--min-confidence": "0.5"}),
    "--max-conditions": ({}, {"--max-conditions": "1"}),
    "--all": ({}, {"--all": None}),
    "--with": ({}, {"--with": "{release}"}),
    "--previous": ({}, {"--previous": "{release}"}),
    "--leavers": ({}, {"--leavers": "keep"}),
    "--fuzzy": ({"--hierarchy": "Age={age}"}, {"--fuzzy": ""}),
}
# These promise nothing that could be seen: how many threads work, and what is so anyway.
UNSEEN = {"--jobs", "--negative"}

TEMPLATES: Words = {"--policy": "{templates}"}
DIVERSE: Words = {"--policy": "{diversity}"}
OTHER: dict[str, tuple[Words, Words]] = {"--policy": ({}, {"--policy": "{other_policy}"})}
OF_TABLE: dict[str, tuple[Words, Words]] = {
    "--policy": ({}, {"--policy": "{strict_templates}"}),
    "--allow-missing": ({"--policy": "{missing_templates}"}, {"--allow-missing": None}),
    "--rho": ({}, {"--rho": "0.6"}),
    "--method": ({}, {"--method": "disclosure-local"}),
    "--methods": ({}, {"--methods": "disclosure-local"}),
}
OF_GROUPS: dict[str, tuple[Words, Words]] = {
    "--policy": ({}, {"--policy": "{strict_diversity}"}),
    "--allow-missing": ({"--policy": "{missing_diversity}"}, {"--allow-missing": None}),
    "--null": ({}, {"--null": "F"}),
    "--method": ({}, {"--method": "anatomy"}),
    "--methods": ({}, {"--methods": "anatomy"}),
}
OF_CHOICES: dict[str, tuple[Words, Words]] = {
    **PROBES,
    "--choices": ({}, {"--choices": "{other_choices}"}),
    "--allow-missing": ({"--choices": "{more_choices}"}, {"--allow-missing": None}),
    "--policy": ({}, {"--policy": "{other_policy}", "--sensitive": "-", "--rho": "-"}),
}
OF_SAMPLED: dict[str, tuple[Words, Words]] = {
    "--policy": ({}, {"--policy": "{other_sampled}"}),
    "--sensitive": ({}, {"--sensitive": "y"}),
    "--rho": ({}, {"--rho": "0.5"}),
    "--knowledge": ({}, {"--knowledge": "1"}),
    "--allow-missing": ({"--policy": "{missing_sampled}"}, {"--allow-missing": None}),
    "--choices": ({}, {"--choices": "{choices}"}),
}
OF_ABSENCE: dict[str, tuple[Words, Words]] = {
    **OF_SAMPLED,
    "--policy": ({}, {"--policy": "{other_policy}"}),
    "--allow-missing": ({"--policy": "{missing_absent}"}, {"--allow-missing": None}),
}
OF_TOGETHER: dict[str, tuple[Words, Words]] = {
    "--with": ({}, {"--with": "{personal_release}"}),
    "--rho": ({"--sensitive": "x"}, {"--rho": "0.05"}),
    "--sensitive": ({"--rho": "0.5"}, {"--sensitive": "y"}),
}
OF_FOLDER: dict[str, tuple[Words, Words]] = {
    "--policy": ({}, {"--policy": "{other_policy}"}),
    "--sensitive": ({"--rho": "0.5"}, {"--sensitive": "y"}),
    "--rho": ({"--sensitive": "x"}, {"--rho": "0.1"}),
    "--knowledge": (INLINE, {"--knowledge": "1"}),
    "--adaptive": ({"--sensitive": "a", "--rho": "0.5"}, {"--adaptive": None}),
    "--allow-missing": ({"--sensitive": "x,nowhere", "--rho": "0.1"}, {"--allow-missing": None}),
    "--time-limit": ({"--sensitive": "x", "--rho": "0.05"}, {"--time-limit": "0"}),
    "--top": ({"--sensitive": "x", "--rho": "0.05"}, {"--top": "0"}),
}
OF_FREQUENT: dict[str, tuple[Words, Words]] = {
    **OF_FOLDER,
    "--adaptive": ({"--sensitive": "x", "--rho": "0.4"}, {"--adaptive": None}),
    "--knowledge": ({"--sensitive": "x", "--rho": "0.6"}, {"--knowledge": "1"}),
}
OF_VERIFY: dict[str, tuple[Words, Words]] = {
    **OF_FOLDER,
    "--knowledge": (INLINE, {"--knowledge": "1"}),
    "--adaptive": (INLINE, {"--adaptive": None}),
    "--proof": ({}, {"--proof": "{proof}"}),
}
OF_SEVENTY: dict[str, tuple[Words, Words]] = {
    **OF_VERIFY,
    "--knowledge": (SEVENTY, {"--knowledge": "1"}),
    "--adaptive": (SEVENTY, {"--adaptive": None}),
}
ORIGINAL: Words = {"--original": "{personal_data}"}
COLUMNS_OF_ORIGINAL: dict[str, tuple[Words, Words]] = {
    "--original": ({}, {"--original": "{after}"}),
    "--layout": ({}, {"--layout": "baskets"}),
    "--record": ({}, {"--record": "product"}),
    "--item": ({}, {"--item": "customer"}),
}
OF_COST: dict[str, tuple[Words, Words]] = {
    "--rho": ({}, {"--rho": "0.02"}),
    "--adaptive": ({"--rho": "0.02"}, {"--adaptive": None}),
    "--knowledge": ({"--sensitive": "y", "--rho": "0.6"}, {"--knowledge": "1"}),  # here the least loss is another
}

OF_INIT: dict[str, tuple[Words, Words]] = {
    "--out": ({}, {"--out": "{out}/another.toml"}),
    "--kind": ({}, {"--kind": "diversity"}),
    "--pattern": ({}, {"--pattern": "y*"}),
    "--node": ({}, {"--node": "g0"}),
    "--hierarchy": ({}, {"--hierarchy": "{tree}"}),
    "--rho": ({}, {"--rho": "3 of 10"}),
    "--given": ({}, {"--given": "Country"}),
    "--value": ({}, {"--value": "Discharged"}),
    "--l": ({}, {"--l": "2"}),
    "--schema": ({}, {"--schema": None}),
    "--force": ({"--out": "{old_file}"}, {"--force": None}),
    "--null": ({}, {"--null": "Trader"}),
}

SCENES: dict[str, Scene] = {
    "init: baskets": Scene(
        "init",
        ("{data}",),
        {"--sensitive": "x", "--out": "{out}/new.toml"},
        init.BASKETS,
        {
            **OF_INIT,
            "--null": ({}, {"--null": "x"}),
            "--knowledge": ({}, {"--knowledge": "2"}),
            "--hierarchy": ({"--node": "g0"}, {"--hierarchy": "{groups}"}),
            "--node": ({"--hierarchy": "{groups}"}, {"--node": "g0"}),
        },
    ),
    "init: templates": Scene(
        "init",
        ("{table}",),
        {"--sensitive": "Bankruptcy", "--kind": "template", "--out": "{out}/new.toml"},
        init.TEMPLATE,
        {**OF_INIT, "--sensitive": ({}, {"--sensitive": "Job"}), "--value": ({}, {"--value": "Discharged"})},
    ),
    "init: diversity": Scene(
        "init",
        ("{table}",),
        {"--sensitive": "Bankruptcy", "--kind": "diversity", "--out": "{out}/new.toml"},
        init.DIVERSITY,
        {
            **OF_INIT,
            "--sensitive": ({}, {"--sensitive": "Job"}),
            "--kind": ({}, {"--kind": "template"}),
            "--null": ({}, {"--null": "Discharged"}),
        },
    ),
    "schema": Scene(
        "schema",
        (),
        {"--out": "{out}/new.json"},
        None,
        {"--force": ({"--out": "{old_file}"}, {"--force": None})},
    ),
    "inspect": Scene(
        "inspect",
        ("{data}",),
        {},
        None,
        {"--null": ({}, {"--null": "x"}), "--json": ({}, {"--json": "{out}/new.json"})},
    ),
    "audit: baskets": Scene("audit", ("{data}",), INLINE, inference.AUDIT),
    "audit: people who chose": Scene("audit", ("{data}",), PERSONAL, inference.AUDIT_PERSONAL, OF_CHOICES),
    "audit: a sample": Scene("audit", ("{data}",), {"--policy": "{sampled}"}, inference.AUDIT_SAMPLED, OF_SAMPLED),
    "audit: absence": Scene("audit", ("{data}",), {"--policy": "{absent}"}, inference.AUDIT_ABSENT, OF_ABSENCE),
    "audit: releases together": Scene(
        "audit", ("{second}",), {"--with": "{release}"}, inference.AUDIT_JOINT, {**OF_FOLDER, **OF_TOGETHER}
    ),
    "audit: a file and a release": Scene(
        "audit",
        ("{data}",),
        {**INLINE, "--with": "{release}"},
        inference.AUDIT_JOINT_FILE,
        {**OF_TOGETHER, "--rho": ({}, {"--rho": "0.99"})},
    ),
    "audit: templates": Scene("audit", ("{table}",), TEMPLATES, template.AUDIT, OF_TABLE),
    "audit: diversity": Scene("audit", ("{sick}",), DIVERSE, diversity.AUDIT, OF_GROUPS),
    "audit: groups": Scene(
        "audit",
        ("{grouped}",),
        {**DIVERSE, "--group": "Group", "--values": "{values}", "--original": "{sick}"},
        diversity.AUDIT_GROUPED,
        {
            **OF_GROUPS,
            "--null": ({}, {"--null": "45"}),  # also the name of a group
            "--values": ({}, {"--values": "{sick}"}),
            "--original": ({}, {"--original": "{table}"}),
            "--top": ({"--policy": "{strict_diversity}"}, {"--top": "0"}),
        },
    ),
    "audit: a folder": Scene("audit", ("{release}",), {}, inference.AUDIT_FOLDER, OF_FOLDER),
    "audit: a personal folder": Scene(
        "audit",
        ("{personal_release}",),
        {},
        inference.AUDIT_PERSONAL_FOLDER,
        {
            **OF_FOLDER,
            "--original": ({}, ORIGINAL),
            "--choices": ({}, {"--choices": "{other_choices}"}),
            "--allow-missing": ({"--choices": "{more_choices}"}, {"--allow-missing": None}),
        },
    ),
    "audit: a personal folder and its original": Scene(
        "audit",
        ("{personal_release}",),
        {**PERSONAL, **ORIGINAL},
        inference.AUDIT_ORIGINAL_FOLDER,
        {
            **OF_CHOICES,
            **COLUMNS_OF_ORIGINAL,
            "--rho": ({}, {"--rho": "0.05"}),
            "--adaptive": ({"--sensitive": "a", "--rho": "0.5"}, {"--adaptive": None}),
            "--knowledge": ({"--rho": "0.05"}, {"--knowledge": "1"}),
            "--top": ({"--rho": "0.05"}, {"--top": "0"}),
            "--time-limit": ({"--rho": "0.05"}, {"--time-limit": "0"}),
        },
    ),
    "audit: a sampled folder": Scene(
        "audit",
        ("{sampled_release}",),
        {**ORIGINAL, "--policy": "{sampled}"},
        inference.AUDIT_SAMPLED_FOLDER,
        {
            **OF_SAMPLED,
            **COLUMNS_OF_ORIGINAL,
        },
    ),
    "audit: a generalized folder": Scene("audit", ("{generalized}",), {}, inference.AUDIT_GENERALIZED, OF_FREQUENT),
    "audit: a permuted folder": Scene("audit", ("{permuted}",), {}, inference.AUDIT_PERMUTED, OF_FREQUENT),
    "audit: a folder of templates": Scene(
        "audit",
        ("{template_release}",),
        TEMPLATES,
        template.AUDIT_FOLDER,
        {**OF_TABLE, "--top": ({"--policy": "{strict_templates}"}, {"--top": "0"})},
    ),
    "audit: a folder of groups": Scene(
        "audit",
        ("{diversity_release}",),
        DIVERSE,
        diversity.AUDIT_FOLDER,
        {**OF_GROUPS, "--top": ({"--policy": "{strict_diversity}"}, {"--top": "0"})},
    ),
    "audit: a folder of groups and its original": Scene(
        "audit",
        ("{diversity_release}",),
        {**DIVERSE, "--original": "{sick}"},
        diversity.AUDIT_ORIGINAL_FOLDER,
        {
            **OF_GROUPS,
            "--original": ({}, {"--original": "{table}"}),
            "--top": ({"--policy": "{strict_diversity}"}, {"--top": "0"}),
        },
    ),
    "protect: baskets": Scene(
        "protect",
        ("{data}",),
        {**INLINE, "--out": "{out}/new"},
        inference.PROTECT,
        {
            "--force": ({"--out": "{old_release}"}, {"--force": None}),
            "--seed": ({"--ids": "shuffle"}, {"--seed": "17"}),
        },
    ),
    "protect: a sequel": Scene(
        "protect",
        ("{fewer}",),
        {**INLINE, "--out": "{out}/new", "--previous": "{release}"},
        inference.PROTECT_SEQUEL,
        {
            "--force": ({"--out": "{old_release}"}, {"--force": None}),
            "--seed": ({"--ids": "shuffle"}, {"--seed": "17"}),
            "--previous": ({}, {"--previous": "{second}"}),
        },
    ),
    "protect: templates": Scene(
        "protect",
        ("{table}",),
        {**TEMPLATES, "--out": "{out}/new"},
        template.PROTECT,
        {**OF_TABLE, "--force": ({"--out": "{old_release}"}, {"--force": None})},
    ),
    "protect: diversity": Scene(
        "protect",
        ("{sick}",),
        {**DIVERSE, "--out": "{out}/new"},
        diversity.PROTECT,
        {**OF_GROUPS, "--force": ({"--out": "{old_release}"}, {"--force": None})},
    ),
    "verify: a file": Scene(
        "verify",
        ("{safe}",),
        {**INLINE, "--proof": "{proof}"},
        verify.FILE,
        {"--proof": ({}, {"--proof": "{nowhere}"}), "--layout": ({}, {"--layout": "fimi"})},
    ),
    "verify: a folder": Scene("verify", ("{release}",), {}, inference.VERIFY, OF_VERIFY),
    "verify: a chain": Scene(
        "verify",
        ("{second}",),
        {"--with": "{release}"},
        inference.VERIFY_CHAIN,
        {**OF_VERIFY, "--with": ({}, {"--with": "{old_release}"})},
    ),
    "verify: a folder that needs no proof": Scene("verify", ("{counted}",), {}, inference.VERIFY, OF_VERIFY),
    "verify: a generalized folder": Scene("verify", ("{generalized}",), {}, inference.VERIFY, OF_SEVENTY),
    "verify: a permuted folder": Scene("verify", ("{permuted}",), {}, inference.VERIFY, OF_SEVENTY),
    "verify: a personal folder": Scene(
        "verify",
        ("{personal_release}",),
        {"--choices": "{choices}"},
        inference.VERIFY_PROMISED,
        {
            **OF_VERIFY,
            "--original": ({}, ORIGINAL),
            "--choices": ({}, {"--choices": "{other_choices}"}),
            "--proof": ({"--choices": "-"}, {"--proof": "{proof}"}),
        },
    ),
    "verify: a personal folder and its original": Scene(
        "verify",
        ("{personal_release}",),
        {"--choices": "{choices}", **ORIGINAL},
        inference.VERIFY_PROMISED,
        {
            **OF_VERIFY,
            **COLUMNS_OF_ORIGINAL,
            "--original": ({}, {"--original": "{original}"}),
            "--choices": ({}, {"--choices": "{other_choices}"}),
            "--proof": ({"--choices": "-", "--original": "-"}, {"--proof": "{proof}"}),
        },
    ),
    "verify: a sampled folder": Scene(
        "verify",
        ("{sampled_release}",),
        {},
        inference.VERIFY_PROMISED,
        {**OF_VERIFY, "--original": ({}, ORIGINAL)},
        unseen=("--knowledge", "--adaptive"),  # a policy in words is never that of the release: it has no assurance
    ),
    "verify: a folder of templates": Scene(
        "verify",
        ("{template_release}",),
        {},
        template.VERIFY,
        {**OF_TABLE, "--null": ({}, {"--null": "Discharged"}), "--proof": ({}, {"--proof": "{proof}"})},
    ),
    "verify: a folder of groups": Scene(
        "verify",
        ("{gappy_release}",),
        {"--null": "F"},
        diversity.VERIFY,
        {
            **OF_GROUPS,
            "--null": ({}, {"--null": "-"}),
            "--original": ({"--policy": "{diversity}"}, {"--original": "{sick}"}),
            "--proof": ({"--null": "-"}, {"--proof": "{proof}"}),
        },
    ),
    "measure: baskets": Scene("measure", ("{data}", "{after}"), INLINE, inference.MEASURE, OF_COST),
    "measure: baskets without a policy": Scene(
        "measure",
        ("{data}", "{after}"),
        {},
        inference.MEASURE_NO_POLICY,
        {
            **OF_FOLDER,
            "--top": ({}, {"--top": "0"}),
            "--knowledge": OF_COST["--knowledge"],
            "--adaptive": ({"--sensitive": "x", "--rho": "0.02"}, {"--adaptive": None}),
            "--allow-missing": ({}, {"--allow-missing": None}),
        },
    ),
    "measure: groups": Scene(
        "measure",
        ("{data}", "{generalized}"),
        {},
        inference.MEASURE_GROUPED,
        {**OF_FOLDER, "--rho": ({}, {"--rho": "0.3", "--sensitive": "a"})},
    ),
    "measure: templates": Scene(
        "measure",
        ("{table}", "{template_release}"),
        TEMPLATES,
        template.MEASURE,
        {**OF_TABLE, "--policy": OTHER["--policy"]},
    ),
    "measure: diversity": Scene(
        "measure",
        ("{sick}", "{diversity_release}"),
        DIVERSE,
        diversity.MEASURE,
        {**OF_GROUPS, "--policy": OTHER["--policy"]},  # what it costs does not depend on l
    ),
    "compare: baskets": Scene("compare", ("{data}",), {**INLINE, "--out": "{out}/new"}, inference.COMPARE),
    "compare: templates": Scene(
        "compare", ("{table}",), {**TEMPLATES, "--out": "{out}/new"}, template.COMPARE, OF_TABLE
    ),
    "compare: diversity": Scene(
        "compare", ("{sick}",), {**DIVERSE, "--out": "{out}/new"}, diversity.COMPARE, OF_GROUPS
    ),
    "report: baskets": Scene("report", ("{data}",), {**INLINE, "--out": "{out}/new"}, inference.REPORT),
    "report: a sample": Scene(
        "report", ("{data}",), {"--policy": "{sampled}", "--out": "{out}/new"}, inference.REPORT_SAMPLED, OF_SAMPLED
    ),
    "report: a table": Scene("report", ("{table}",), {**TEMPLATES, "--out": "{out}/new"}, template.REPORT, OF_TABLE),
    "report: diversity": Scene("report", ("{sick}",), {**DIVERSE, "--out": "{out}/new"}, diversity.REPORT, OF_GROUPS),
    "report: an audit": Scene("report", ("{audit}",), {"--out": "{out}/new"}, report.AUDIT, OTHER),
    "report: a folder": Scene("report", ("{release}",), {"--out": "{out}/new"}, report.FOLDER, OTHER),
    "hierarchy build": Scene(
        "hierarchy build",
        ("{data}",),
        {"--out": "{out}/new"},
        hierarchy.BUILD,
        {"--force": ({"--out": "{old_file}"}, {"--force": None})},
    ),
    "hierarchy build, of a column": Scene(
        "hierarchy build",
        ("{sick}",),
        {"--out": "{out}/new", "--column": "Age", "--width": "10"},
        hierarchy.BUILD_COLUMN,
        {
            "--force": ({"--out": "{old_file}"}, {"--force": None}),
            "--column": ({}, {"--column": "Sex"}),
        },
    ),
    "hierarchy show": Scene(
        "hierarchy show", ("{tree}",), {}, hierarchy.SHOW, {"--layout": ({}, {"--layout": "parent-child"})}
    ),
    "hierarchy show, and write": Scene(
        "hierarchy show",
        ("{tree}",),
        {"--out": "{out}/new"},
        hierarchy.SHOW_AND_WRITE,
        {"--force": ({"--out": "{old_file}"}, {"--force": None}), "--layout": ({}, {"--layout": "parent-child"})},
    ),
    "sign: a folder": Scene(
        "sign",
        ("{release}",),
        {"--key": "{other_policy}"},
        None,
        {
            "--key": ({}, {"--key": "{out}/nowhere"}),
            "--new": ({}, {"--new": None}),
            "--password": ({}, {"--password": None}),
        },
        ("--password",),
    ),
    "sample: a list": Scene("sample", (), {}, sample.LIST),
    "sample: copies": Scene("sample", ("{copies}",), {}, sample.COPY),
    "experiment run": Scene(
        "experiment run",
        ("jia-fig1",),
        {"--data": "Retail", "--out": "{out}/new"},  # which is not there; others would be generated, and take long
        experiment.WHOLE,
        {"--quick": ({}, {"--quick": None, "--data": "-"})},
        unseen=("--draws", "--fresh", "--out"),
    ),
    "experiment run, on tables": Scene(
        "experiment run", ("li-table3",), {"--out": "{out}/new"}, experiment.TABLES, unseen=("--fresh", "--out")
    ),
    "experiment run, an example": Scene(
        "experiment run", ("jia-table1",), {"--out": "{out}/new"}, experiment.EXAMPLE, unseen=("--fresh",)
    ),
    "experiment run, quickly": Scene(
        "experiment run",
        ("jia-table1",),
        {"--quick": None, "--out": "{out}/new"},
        experiment.QUICK,
        {"--quick": ({}, {"--quick": "-"})},
        unseen=("--fresh",),
    ),
    "experiment list": Scene("experiment list", (), {}, None),
    "experiment show": Scene("experiment show", ("jia-table1",), {}, None),
    "datasets list": Scene("datasets list", (), {}, None),
    "datasets get": Scene("datasets get", ("Groceries hierarchy",), {}, datasets.DOWNLOAD),
    "datasets get, again": Scene("datasets get", ("CRX",), {}, datasets.HERE),
    "demo": Scene("demo", (), {}, None, {"--table": ({}, {"--table": None})}),
    "warm": Scene("warm", (), {}, None),
    # It goes on until it is ended: here it only says what cannot be opened. tests/system/test_studio_*.py use it.
    "studio": Scene(
        "studio",
        ("{nowhere}",),
        {"--no-browser": None},
        None,
        {
            "--port": ({}, {"--port": "8123"}),
            "--upload-limit": ({}, {"--upload-limit": "10"}),
            "--no-browser": ({}, {"--no-browser": None}),
        },
        unseen=("--out", "--port", "--upload-limit", "--no-browser"),
    ),
    "rules": Scene(
        "rules",
        ("{sick}",),
        {"--sensitive": "Disease", "--quasi": "Age,Sex"},
        None,
        {
            "--sensitive": ({}, {"--sensitive": "Sex", "--quasi": "Age"}),
            "--hierarchy": ({}, {"--hierarchy": "Age={age}"}),
            "--out": ({}, {"--out": "{out}/new.csv"}),
            "--null": ({}, {"--null": "F"}),
            "--quasi": ({}, {"--quasi": "Age"}),
            "--max-conditions": ({"--min-expectation": "0.1"}, {"--max-conditions": "1"}),
        },
    ),
}


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
