"""What options are stated with, to see whether they are used: option -> (in both runs, in the second besides)."""

from __future__ import annotations

INLINE = {"--sensitive": "x", "--rho": "0.5"}
SEVENTY = {"--sensitive": "x", "--rho": "0.7"}
PERSONAL = {**INLINE, "--choices": "{choices}"}
Words = dict[str, str | None]

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
    "--labels": ({}, {"--labels": "{codes}"}),
    "--key": ({}, {"--key": "RWQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}),
    "--null": ({}, {"--null": "a"}),
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
    "--period": ({}, {"--period": "month"}),
    "--then-maximal": ({}, {"--then-maximal": None}),
    "--form": ({}, {"--form": "tables"}),
    "--stopping": ({}, {"--stopping": "paper"}),
    "--improve": ({}, {"--improve": "3"}),
    "--parts": ({}, {"--parts": "2"}),
    "--engine": ({}, {"--engine": "nonsense"}),
    "--master": ({}, {"--master": "spark://127.0.0.1:1"}),
    "--option": ({}, {"--option": "nonsense=1"}),
    "--no-rules": ({}, {"--no-rules": None}),
    "--no-bound": ({}, {"--no-bound": None}),
    "--bound": ({}, {"--bound": "nonsense"}),
    "--unpaired": ({}, {"--unpaired": None}),
    "--errors": ({}, {"--errors": None}),
    "--methods": ({}, {"--methods": "global"}),
    "--l": ({}, {"--l": "2"}),
    "--prefer": ({}, {"--prefer": "nonsense"}),
    "--fresh": ({"--out": "-"}, {"--fresh": None}),
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
# These are about what an earlier run left behind, so that one comes first.
SECOND = {"--fresh"}
# These promise nothing that could be seen: how many threads work, and what is so anyway.
UNSEEN = {"--jobs", "--negative"}

TEMPLATES: Words = {"--policy": "{templates}"}
DIVERSE: Words = {"--policy": "{diversity}"}
OTHER: dict[str, tuple[Words, Words]] = {"--policy": ({}, {"--policy": "{other_policy}"})}
OF_TABLE: dict[str, tuple[Words, Words]] = {
    "--null": ({}, {"--null": "{value}"}),
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
