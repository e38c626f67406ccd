"""The patients of an invented hospital group: one row each, with who they are, what they had and how it ended.

Age and education shape the occupation; age the marital status; all of these, sex and region the diagnosis; diagnosis,
age and insurance the outcome. Some diagnoses are impossible for one sex, and whoever attacks the file knows that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from sordino.sample.draw import Draw

__all__ = ["PATIENTS", "Patient", "patients"]

PATIENTS = 2_000

AGES = {18: 9, 25: 12, 35: 15, 45: 18, 55: 18, 65: 15, 75: 13}  # the youngest of ten years -> weight
REGIONS = {"Harbour": 22, "Old Town": 20, "Northfield": 18, "Riverside": 16, "Hillcrest": 14, "Lowmoor": 10}
EDUCATION = {"none": 6, "school": 34, "apprenticeship": 34, "university": 26}
INSURANCE = {"public": 74, "private": 20, "none": 6}

MARITAL = {  # up to that age -> weights
    29: {"single": 78, "married": 20, "divorced": 2, "widowed": 0},
    44: {"single": 34, "married": 54, "divorced": 11, "widowed": 1},
    64: {"single": 15, "married": 61, "divorced": 19, "widowed": 5},
    99: {"single": 7, "married": 54, "divorced": 12, "widowed": 27},
}
OCCUPATIONS = {  # occupation -> weight by education, in the order of EDUCATION
    "office": (2, 14, 26, 30),
    "teaching": (0, 1, 3, 24),
    "health care": (3, 9, 14, 16),
    "construction": (26, 20, 20, 1),
    "hospitality": (26, 18, 10, 4),
    "retail": (20, 20, 14, 4),
    "transport": (18, 14, 9, 2),
    "arts": (3, 3, 3, 11),
    "farming": (2, 4, 5, 1),
}
PENSION = 66


class Disease(NamedTuple):
    """How likely a disease is, and what makes it more likely: factors by sex, age band and other columns' values."""

    weight: float
    women: float = 1
    men: float = 1
    by_age: tuple[float, float, float] = (1, 1, 1)  # under 40, 40 to 64, from 65
    more: Mapping[str, float] = MappingProxyType({})


DISEASES = {
    "influenza": Disease(14, by_age=(1.3, 1, 0.9)),
    "fracture": Disease(13, by_age=(1.1, 0.7, 1.3), more={"construction": 2, "farming": 2}),
    "back pain": Disease(11, by_age=(0.7, 1.3, 0.8), more={"construction": 1.8, "transport": 1.8, "health care": 1.4}),
    "hypertension": Disease(12, by_age=(0.15, 1.2, 1.6), more={"transport": 1.3}),
    "type 2 diabetes": Disease(9, by_age=(0.15, 1.1, 1.6), more={"Lowmoor": 1.6}),
    "asthma": Disease(7, by_age=(1.6, 0.9, 0.7), more={"Harbour": 1.5, "retail": 1.2}),
    "appendicitis": Disease(6, by_age=(2, 0.7, 0.3)),
    "heart attack": Disease(6, women=0.6, men=1.4, by_age=(0.05, 1, 2.2)),
    "stroke": Disease(5, by_age=(0.05, 0.7, 2.5)),
    "depression": Disease(8, women=1.3, men=0.8, by_age=(1.2, 1.1, 0.6), more={"divorced": 4, "widowed": 2, "none": 2}),
    "alcohol dependence": Disease(
        3.5, women=0.5, men=1.5, by_age=(1, 1.4, 0.5), more={"hospitality": 2, "divorced": 2}
    ),
    "HIV": Disease(1.6, women=0.4, men=1.6, by_age=(1.6, 1, 0.1), more={"Harbour": 3.5, "arts": 5, "hospitality": 3.5}),
    "hepatitis": Disease(2, by_age=(1.2, 1, 0.5), more={"health care": 1.8, "Harbour": 1.6}),
    "breast cancer": Disease(4, men=0.01, by_age=(0.2, 1.3, 1.3)),
    "ovarian cancer": Disease(2.5, men=0, by_age=(0.1, 1.2, 1.3)),
    "prostate cancer": Disease(4.5, women=0, by_age=(0, 0.8, 2.2)),
    "complicated pregnancy": Disease(9, men=0, by_age=(1.7, 0, 0)),
}

OUTCOMES = {  # diagnosis -> weights of recovered, ongoing, readmitted; the first line is for all the others
    "": (62, 26, 12),
    "influenza": (90, 4, 6), "fracture": (80, 12, 8), "appendicitis": (92, 2, 6), "complicated pregnancy": (84, 8, 8),
    "hypertension": (20, 66, 14), "type 2 diabetes": (6, 76, 18), "asthma": (25, 57, 18), "HIV": (0, 88, 12),
    "depression": (36, 42, 22), "alcohol dependence": (22, 38, 40), "heart attack": (46, 28, 26),
    "stroke": (28, 46, 26), "breast cancer": (48, 36, 16), "ovarian cancer": (26, 44, 30), "hepatitis": (40, 46, 14),
}  # fmt: skip


class Patient(NamedTuple):
    age: int
    sex: str
    region: str
    education: str
    occupation: str
    marital_status: str
    insurance: str
    diagnosis: str
    outcome: str


def patients(draw: Draw) -> Iterator[Patient]:
    """The rows of the table, in no particular order."""
    for _ in range(PATIENTS):
        age = draw.one(AGES) + draw.below(10)
        sex = "female" if draw.chance(0.52) else "male"
        region, education, insurance = draw.one(REGIONS), draw.one(EDUCATION), draw.one(INSURANCE)
        occupation = _occupation(draw, age, education)
        marital = draw.one(next(weights for limit, weights in MARITAL.items() if age <= limit))
        traits = (region, education, occupation, marital)
        diagnosis = draw.one({name: _weight(disease, age, sex, traits) for name, disease in DISEASES.items()})
        outcome = _outcome(draw, age, insurance, diagnosis)
        yield Patient(age, sex, region, education, occupation, marital, insurance, diagnosis, outcome)


def _occupation(draw: Draw, age: int, education: str) -> str:
    if age >= PENSION and draw.chance(0.93):
        return "retired"
    if age < 25 and education in ("school", "university") and draw.chance(0.6):
        return "student"
    if draw.chance(0.06):
        return "unemployed"
    rank = list(EDUCATION).index(education)
    return draw.one({occupation: weights[rank] for occupation, weights in OCCUPATIONS.items()})


def _weight(disease: Disease, age: int, sex: str, traits: tuple[str, ...]) -> float:
    weight = disease.weight * (disease.women if sex == "female" else disease.men)
    weight *= disease.by_age[(age >= 40) + (age >= 65)]
    for trait in traits:
        weight *= disease.more.get(trait, 1)
    return weight


def _outcome(draw: Draw, age: int, insurance: str, diagnosis: str) -> str:
    recovered, ongoing, readmitted = OUTCOMES.get(diagnosis, OUTCOMES[""])
    burden = (2 if age >= 70 else 1) * (1.5 if insurance == "none" else 1)
    return draw.one({"recovered": recovered, "ongoing": ongoing, "readmitted": readmitted * burden})
