"""The options that say which data and which policy a command is about, and what they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sordino.errors import InputError, PolicyError, did_you_mean

if TYPE_CHECKING:
    from sordino.policy.kinds import Policy as AnyPolicy

__all__ = [
    "Adaptive",
    "AllowMissing",
    "Bound",
    "ChoicesFile",
    "Data",
    "Delimiter",
    "Engine",
    "Group",
    "Item",
    "Jobs",
    "Json",
    "Knowledge",
    "Layout",
    "Master",
    "Null",
    "Original",
    "OriginalData",
    "Policy",
    "Query",
    "Quiet",
    "Record",
    "Rho",
    "Sensitive",
    "TableName",
    "Values",
    "policy_of",
    "with_what_is_not_there",
]

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="The records: .dat (FIMI), .csv, .tsv, .parquet, .jsonl, .xlsx (FILE#SHEET), each also .gz, .zst, .bz2, "
        ".xz or .zip; a folder of Parquet files; s3://... and the like; '-' is standard input. Or a database: "
        "postgresql://USER@HOST/NAME, or a file of DuckDB or SQLite, with --table or --query.",
        show_default=False,
    ),
]
Policy = Annotated[
    Path | None, typer.Option("--policy", metavar="FILE", help="What must hold, as a policy.toml.", show_default=False)
]
Sensitive = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Instead of a policy file: the sensitive items, as a,b,c or as @FILE with one a line.",
        show_default=False,
    ),
]
Rho = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="With --sensitive: how sure somebody may at most become of a sensitive item: 0.5, 1/3 or 30%.",
        show_default=False,
    ),
]
Knowledge = Annotated[
    int | None,
    typer.Option(
        metavar="M",
        help="With --sensitive: the most items of a person that somebody knows already. Default: any number.",
        show_default=False,
    ),
]
Adaptive = Annotated[
    bool, typer.Option("--adaptive", help="With --sensitive: allow more for items that most people have.")
]
Layout = Annotated[
    str | None,
    typer.Option(
        metavar="LAYOUT",
        help="How records lie in the file, if it is not recognised: fimi, baskets, long, list or onehot.",
        show_default=False,
    ),
]
Record = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column that names the record.", show_default=False)
]
Item = Annotated[str | None, typer.Option(metavar="COLUMN", help="The column that holds the item.", show_default=False)]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR",
        help="What separates the fields of CSV, if not found: ';' or '\\t'.",
        show_default=False,
    ),
]
Null = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="A text that stands for a missing value, and is no item or value; can be repeated. Default: empty, ?, NA, "
        "null. --null '' takes all but empty fields as they are.",
        show_default=False,
    ),
]
Query = Annotated[
    str | None,
    typer.Option(
        "--query",
        metavar="SQL",
        help="Of a database: the SELECT that returns the data. It is run so that it cannot write.",
        show_default=False,
    ),
]
TableName = Annotated[
    str | None,
    typer.Option(
        "--table", metavar="NAME", help="Of a database: the table, as NAME or SCHEMA.NAME.", show_default=False
    ),
]
Group = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Of a grouped table: the column that tells the groups.", show_default=False),
]
Values = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Of a grouping in two tables: the one that says which values (group, value, count) each group holds.",
        show_default=False,
    ),
]
Original = Annotated[
    str | None,
    typer.Option(
        metavar="DATA",
        help="The data before protection: of baskets, what may be known of people who chose for themselves; of a "
        "grouped table, to mine the rules that an adversary may know.",
        show_default=False,
    ),
]
ChoicesFile = Annotated[
    Path | None,
    typer.Option(
        "--choices",
        metavar="FILE",
        help="What single persons find sensitive besides: CSV or Parquet with a record and an item column. Records are "
        "named by id, or by position from 0.",
        show_default=False,
    ),
]
OriginalData = Annotated[
    str | None,
    typer.Option(
        "--original",
        metavar="DATA",
        help="The records before protection. Where people chose for themselves, these are what may be known of them.",
        show_default=False,
    ),
]
AllowMissing = Annotated[
    bool, typer.Option("--allow-missing", help="Accept sensitive items that occur in no record (any more).")
]
Json = Annotated[
    str | None,
    typer.Option(
        "--json", metavar="FILE", help="Write the result as JSON; '-' is standard output.", show_default=False
    ),
]
Bound = Annotated[
    str | None,
    typer.Option(
        metavar="HOW",
        help="How closely the least possible loss is looked for: quick (the default) or thorough, which takes a minute "
        "for a file of 80,000 records; Ctrl-C ends it, and keeps the best.",
        show_default=False,
    ),
]
Jobs = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Threads. Default: one per core.", show_default=False)
]
Engine = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Where the work is done: local (the default), or spark: DATA is then a folder of Parquet files or a "
        "table, in a cluster.",
        show_default=False,
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Of --engine spark: the cluster (spark://HOST:PORT, local[4], yarn). Default: as the environment says.",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no report; the exit code tells.")]


def policy_of(
    file: Path | None, sensitive: str | None, rho: str | None, knowledge: int | None, adaptive: bool
) -> AnyPolicy:
    """The policy that the options state: in a file, or by themselves, but not both."""
    stated = {"--sensitive": sensitive, "--rho": rho, "--knowledge": knowledge, "--adaptive": adaptive or None}
    given = [option for option, value in stated.items() if value is not None]
    if file is not None:
        if given:
            raise InputError(
                f"--policy cannot be combined with {', '.join(given)}",
                hint="Put everything into the policy file, or leave --policy out.",
            )
        from sordino.kinds import read_policy

        return read_policy(file)
    if sensitive is None or rho is None:
        lacking = " and ".join(option for option in ("--sensitive", "--rho") if option not in given)
        raise InputError(
            f"there is no complete policy: {lacking} is missing" if given else "there is no policy",
            hint="Give --policy FILE, or --sensitive NAMES and --rho NUMBER.",
        )
    names = _names(sensitive)
    from sordino.policy.inference import InferencePolicy

    return InferencePolicy(names, rho, knowledge=knowledge, adaptive=adaptive)


def with_what_is_not_there(error: PolicyError, data: object, form: Mapping[str, Any]) -> PolicyError:
    """If the policy cannot be accepted, the data are read all the same, to say also what is not there.

    Of a policy for baskets these are items, of one about a table columns.
    """
    try:
        if error.columns:
            from sordino.data.read_table import read_table

            known = read_table(data, delimiter=form.get("delimiter")).names
            lacking = [f"there is no column '{n}'.{did_you_mean(n, known)}" for n in error.columns if n not in known]
        elif error.sensitive:
            from sordino.data.read import read_baskets
            from sordino.policy.inference import absent_items

            lacking = list(absent_items(error.sensitive, read_baskets(data, **form)))
        else:
            return error
    except InputError:
        return error
    return PolicyError([*error.problems, *lacking], where=error.where)


def _names(text: str) -> list[str]:
    if text.startswith("@"):
        from sordino.policy.file import read_name_list

        names = read_name_list(text[1:])
    else:
        names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError("--sensitive names no item", hint="For example: --sensitive 'insulin,methadone'")
    return names
