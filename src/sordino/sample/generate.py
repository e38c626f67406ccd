"""Writes the bundled files anew: `python -m sordino.sample.generate`. The same bytes every time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sordino.sample.draw import Draw
from sordino.sample.patients import Patient, patients
from sordino.sample.pharmacy import SENSITIVE, choices, customers, products

__all__ = ["build", "main"]

SEED = 20240607

PHARMACY_POLICY = """\
# Nobody who knows some of a customer's products may infer a sensitive one with a confidence above rho.
kind = "inference"

[sensitive]
file = "pharmacy_sensitive.txt"

[threshold]
rho = "0.5"

# An attacker may know any number of products. To limit what he knows to, say, three of them, add:
# [knowledge]
# items = 3
"""

PERSONAL_POLICY = """\
# Customers chose for themselves: nobody who knows some of a customer's products may infer one that this customer chose.
kind = "inference"

[sensitive]
per_record = { file = "pharmacy_choices.csv", record = "record", item = "item", first = 1 }

[threshold]
rho = "0.5"
"""

PATIENTS_POLICY = """\
# Nobody who knows the columns under `given` may infer the value with a confidence above `at_most`.
kind = "template"
class = "outcome"

[[template]]
given = ["occupation", "region"]
value = { diagnosis = "HIV" }
at_most = "0.2"

[[template]]
given = ["sex", "education", "marital_status"]
value = { diagnosis = "depression" }
at_most = "0.25"
"""


def build() -> dict[str, bytes]:
    """Every bundled file: name -> contents."""
    baskets = list(customers(Draw(SEED)))
    chosen = choices(Draw(SEED + 1), baskets)
    return {
        "pharmacy.csv": _text(",".join(basket) for basket in baskets),
        "pharmacy_hierarchy.csv": _text(f"{p.name};{p.category};{p.department};*" for p in products()),
        "pharmacy_sensitive.txt": _text(SENSITIVE),
        "pharmacy_choices.csv": _text(["record,item", *(f"{line},{item}" for line, item in chosen)]),
        "pharmacy_policy.toml": PHARMACY_POLICY.encode(),
        "pharmacy_personal_policy.toml": PERSONAL_POLICY.encode(),
        "patients.csv": _text([",".join(Patient._fields), *(",".join(map(str, p)) for p in patients(Draw(SEED + 2)))]),
        "patients_policy.toml": PATIENTS_POLICY.encode(),
    }


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def main() -> None:
    """Write the files beside this module and say how large they are."""
    folder = Path(__file__).parent / "files"
    folder.mkdir(exist_ok=True)
    for name, contents in build().items():
        (folder / name).write_bytes(contents)
        print(f"{len(contents):>8}  {name}")


if __name__ == "__main__":
    main()
