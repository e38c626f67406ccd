"""A scene for every way through every command.

A scene is a command line whose words may name files of `make_files` in braces. What an option is stated with (PROBES)
changes what comes out, if it is used at all: the result, the page, the files, or the error that it leads to.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cli.probes import (
    COLUMNS_OF_ORIGINAL,
    DIVERSE,
    INLINE,
    OF_ABSENCE,
    OF_CHOICES,
    OF_COST,
    OF_FOLDER,
    OF_FREQUENT,
    OF_GROUPS,
    OF_INIT,
    OF_SAMPLED,
    OF_SEVENTY,
    OF_TABLE,
    OF_TOGETHER,
    OF_VERIFY,
    ORIGINAL,
    OTHER,
    PERSONAL,
    TEMPLATES,
    Words,
)
from sordino.cli import (
    datasets,
    diversity,
    experiment,
    hierarchy,
    inference,
    init,
    report,
    sample,
    template,
    verify,
)
from sordino.cli.ways import Way


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
        ("--password", "--json"),
    ),
    "sample: a list": Scene("sample", (), {}, sample.LIST),
    "sample: copies": Scene(
        "sample", ("{copies}",), {}, sample.COPY, {"--json": ({"--force": None}, {"--json": "{out}/new.json"})}
    ),
    "experiment run": Scene(
        "experiment run",
        ("jia-fig1",),
        {"--data": "Retail", "--out": "{out}/new"},  # which is not there; others would be generated, and take long
        experiment.WHOLE,
        {"--quick": ({}, {"--quick": None, "--data": "-"})},
        unseen=("--draws", "--fresh", "--out", "--json"),
    ),
    "experiment run, on tables": Scene(
        "experiment run",
        ("li-table3",),
        {"--out": "{out}/new"},
        experiment.TABLES,
        unseen=("--fresh", "--out", "--json"),
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
    "datasets get": Scene("datasets get", ("Groceries hierarchy",), {}, datasets.DOWNLOAD, unseen=("--json",)),
    "datasets get, again": Scene("datasets get", ("CRX",), {}, datasets.HERE, unseen=("--json",)),
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
