"""The customers of an invented town pharmacy: what it sells, who comes in, what they take home.

A customer is in one stage of life, has the conditions that the stage makes likely, buys for each of them, and adds some
everyday things. The inferences an audit finds are therefore real ones: supplies give away the treatment they belong to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sordino.sample.draw import Draw

__all__ = ["CUSTOMERS", "SENSITIVE", "Product", "choices", "customers", "products"]

CUSTOMERS = 5_000
LONGEST = 25
CHOOSERS = 150

# department -> category -> products; * marks what is sensitive
CATALOGUE = {
    "Self-medication": {
        "Pain and fever": "paracetamol, ibuprofen, aspirin, diclofenac gel, heat patches",
        "Cold and cough": "nasal spray, cough syrup, throat lozenges, thyme tea, chest rub",
        "Stomach and bowel": "antacid, loperamide, laxative, rehydration salts, probiotics",
        "Allergy": "cetirizine, allergy eye drops, hydrocortisone cream",
        "Calm and cravings": "valerian, melatonin, lavender oil, nicotine patches, nicotine gum",
    },
    "General prescriptions": {
        "Heart and circulation": "ramipril, amlodipine, bisoprolol, atorvastatin",
        "Hormones and metabolism": "insulin pens*, metformin, levothyroxine, estradiol gel, tamoxifen*",
        "Infection and breathing": "amoxicillin, nitrofurantoin, aciclovir tablets*, salbutamol, steroid inhaler",
    },
    "Nerves and mind": {
        "Mood and attention": "sertraline*, lithium*, quetiapine*, lorazepam*, methylphenidate*",
        "Strong pain and dependence": "oxycodone*, fentanyl patches*, methadone*, naloxone spray*, disulfiram*",
        "Brain and memory": "levetiracetam*, donepezil*, levodopa*, sumatriptan",
    },
    "Intimate health": {
        "HIV care": "antiretrovirals*, HIV prevention pills*, HIV self-test*",
        "Contraception and sex": "condoms, contraceptive pill, emergency contraceptive*, lubricant, sildenafil*",
        "Pregnancy and fertility": "pregnancy test*, folic acid, ovulation test, ginger tea, stretch mark oil",
    },
    "Mother and child": {
        "Baby": "nappies, wet wipes, nappy cream, infant formula, baby bottles, nursing pads, fennel tea, teething gel",
        "Sick children": "fever syrup, saline nose drops, lice shampoo, vitamin D drops, thermometer",
    },
    "Beauty and hygiene": {
        "Face and body": "moisturiser, cleansing gel, sunscreen, hand cream, lip balm",
        "Problem skin": "acne gel, urea cream, antifungal cream",
        "Hair and mouth": "toothpaste, toothbrush, dental floss, mouthwash, denture cream",
    },
    "Aids and first aid": {
        "Wounds and sprains": "plasters, gauze, antiseptic, blister plasters, elastic bandage",
        "Diabetes supplies": "test strips, lancets, pen needles, glucose tablets, foot cream",
        "Daily living": "pressure monitor, pill organiser, support stockings, incontinence pads, sharps box",
    },
    "Fitness and travel": {
        "Vitamins and minerals": "vitamin C, vitamin D, magnesium, zinc, iron, multivitamin",
        "Sport": "protein powder, electrolytes, energy bar, muscle balm, sports tape",
        "Travel": "insect repellent, travel sickness pills, malaria pills, earplugs",
    },
}

# What anybody may take along, by weight; every other product has a weight of RARELY (0.02 if it is sensitive).
RARELY = 0.15
EVERYDAY = {
    "paracetamol": 30, "ibuprofen": 26, "plasters": 19, "toothpaste": 17, "nasal spray": 16, "throat lozenges": 14,
    "hand cream": 11, "vitamin C": 11, "cough syrup": 10, "lip balm": 9, "sunscreen": 9, "vitamin D": 8,
    "toothbrush": 8, "magnesium": 8, "antacid": 7, "moisturiser": 7, "aspirin": 6, "dental floss": 5,
    "antiseptic": 5, "cetirizine": 5, "multivitamin": 4, "mouthwash": 4, "thyme tea": 4, "condoms": 4, "zinc": 4,
    "diclofenac gel": 4, "chest rub": 3, "probiotics": 3, "loperamide": 3, "amoxicillin": 3,
    "cleansing gel": 3, "gauze": 2, "laxative": 2, "heat patches": 2, "earplugs": 2, "valerian": 2,
    "insect repellent": 2, "elastic bandage": 2, "energy bar": 2, "hydrocortisone cream": 2, "thermometer": 1.5,
    "contraceptive pill": 2, "blister plasters": 1.5, "ginger tea": 1.5, "fennel tea": 1.5, "antifungal cream": 1.5,
    "urea cream": 1.5, "melatonin": 1.5, "iron": 1.5, "folic acid": 1.2, "lubricant": 1, "lavender oil": 1,
    "rehydration salts": 1, "travel sickness pills": 1, "pressure monitor": 0.5,
}  # fmt: skip
EVERYDAY_ITEMS = {0: 8, 1: 24, 2: 24, 3: 17, 4: 11, 5: 7, 6: 4, 7: 2.5, 8: 1.5, 10: 0.7, 13: 0.3}

STAGES = {0: 22, 1: 26, 2: 27, 3: 25}  # young, family, middle-aged, older: per cent of the customers
LOYALTY = {1.0: 60, 0.75: 25, 0.45: 15}  # the part of their needs that customers buy here: per cent of the customers


class Profile(NamedTuple):
    """Who has a condition (per cent of each stage), and the chance of each product for those who have it."""

    name: str
    percent: tuple[float, float, float, float]  # young, family, middle-aged, older
    buys: dict[str, float]


PROFILES = (
    # ordinary needs
    Profile("baby", (2, 19, 0.5, 0.5), {
        "nappies": 0.75, "wet wipes": 0.65, "nappy cream": 0.45, "infant formula": 0.4, "vitamin D drops": 0.4,
        "fever syrup": 0.35, "saline nose drops": 0.35, "baby bottles": 0.3, "teething gel": 0.25, "fennel tea": 0.3,
        "nursing pads": 0.25, "thermometer": 0.15,
    }),
    Profile("school children", (0.5, 22, 7, 0.5), {
        "fever syrup": 0.5, "plasters": 0.4, "cough syrup": 0.35, "saline nose drops": 0.25, "lice shampoo": 0.25,
        "thermometer": 0.2, "travel sickness pills": 0.12,
    }),
    Profile("cold", (13, 14, 12, 10), {
        "nasal spray": 0.55, "throat lozenges": 0.45, "paracetamol": 0.45, "cough syrup": 0.35, "thyme tea": 0.2,
        "chest rub": 0.2, "vitamin C": 0.25, "zinc": 0.15,
    }),
    Profile("sport", (19, 10, 9, 3), {
        "electrolytes": 0.4, "protein powder": 0.4, "energy bar": 0.4, "magnesium": 0.4, "muscle balm": 0.3,
        "sports tape": 0.25, "blister plasters": 0.2, "elastic bandage": 0.2,
    }),
    Profile("skin care", (17, 11, 10, 7), {
        "moisturiser": 0.55, "cleansing gel": 0.45, "sunscreen": 0.35, "hand cream": 0.3, "lip balm": 0.3,
        "urea cream": 0.15,
    }),
    Profile("acne", (9, 2, 1, 0), {"acne gel": 0.8, "cleansing gel": 0.5, "moisturiser": 0.25}),
    Profile("teeth", (6, 6, 8, 6), {
        "toothpaste": 0.6, "toothbrush": 0.5, "dental floss": 0.4, "mouthwash": 0.35,
    }),
    Profile("dentures", (0, 0, 2, 14), {"denture cream": 0.8, "mouthwash": 0.25}),
    Profile("allergy", (12, 11, 9, 5), {
        "cetirizine": 0.65, "allergy eye drops": 0.4, "hydrocortisone cream": 0.15,
    }),
    Profile("asthma", (4, 4, 4, 6), {
        "salbutamol": 0.8, "steroid inhaler": 0.55, "cetirizine": 0.2,
    }),
    Profile("traveller", (9, 6, 7, 4), {
        "insect repellent": 0.5, "sunscreen": 0.45, "loperamide": 0.4, "rehydration salts": 0.3, "earplugs": 0.25,
        "travel sickness pills": 0.25, "malaria pills": 0.2, "antiseptic": 0.2, "plasters": 0.2,
    }),
    Profile("giving up smoking", (3, 4, 5, 3), {
        "nicotine patches": 0.6, "nicotine gum": 0.55, "mouthwash": 0.15, "valerian": 0.12,
    }),
    Profile("high blood pressure", (0.5, 2, 15, 33), {
        "ramipril": 0.55, "amlodipine": 0.4, "bisoprolol": 0.3, "atorvastatin": 0.35, "pressure monitor": 0.15,
        "aspirin": 0.25, "pill organiser": 0.06,
    }),
    Profile("frail", (0, 0, 1, 9), {
        "support stockings": 0.4, "incontinence pads": 0.4, "pill organiser": 0.08, "laxative": 0.3, "vitamin D": 0.3,
        "urea cream": 0.2,
    }),
    Profile("thyroid", (2, 4, 7, 9), {"levothyroxine": 0.9}),
    Profile("menopause", (0, 1, 9, 2), {
        "estradiol gel": 0.6, "vitamin D": 0.25, "lubricant": 0.2, "melatonin": 0.15, "magnesium": 0.2,
    }),
    Profile("migraine", (4, 5, 5, 1), {"sumatriptan": 0.7, "ibuprofen": 0.4, "magnesium": 0.25}),
    Profile("bladder infection", (4, 4, 3, 3), {"nitrofurantoin": 0.7, "probiotics": 0.2, "heat patches": 0.2}),
    Profile("poor sleep", (3, 5, 6, 6), {"melatonin": 0.35, "valerian": 0.5, "lavender oil": 0.25}),
    Profile("back pain", (3, 6, 10, 10), {
        "ibuprofen": 0.5, "heat patches": 0.4, "diclofenac gel": 0.45, "muscle balm": 0.2,
    }),
    # conditions with something to hide
    Profile("diabetes on insulin", (1.5, 2, 6, 9), {
        "insulin pens": 0.95, "test strips": 0.8, "pen needles": 0.75, "lancets": 0.55, "glucose tablets": 0.4,
        "foot cream": 0.3, "sharps box": 0.25, "metformin": 0.25,
    }),
    Profile("diabetes on tablets", (0, 1, 4, 9), {
        "metformin": 0.9, "test strips": 0.3, "lancets": 0.22, "foot cream": 0.3, "atorvastatin": 0.3,
    }),
    Profile("depression", (8, 7, 8, 6), {
        "sertraline": 0.85, "lavender oil": 0.4, "melatonin": 0.45, "lorazepam": 0.12, "vitamin D": 0.25,
    }),
    Profile("bipolar or psychotic", (1.5, 1.5, 1.8, 1), {
        "quetiapine": 0.75, "lithium": 0.6, "pill organiser": 0.4, "lorazepam": 0.3,
    }),
    Profile("anxiety", (2, 2, 2, 2), {"lorazepam": 0.6, "valerian": 0.45, "lavender oil": 0.3}),
    Profile("attention deficit", (5, 4, 1, 0), {
        "methylphenidate": 0.9, "melatonin": 0.55, "earplugs": 0.55, "zinc": 0.2,
    }),
    Profile("severe pain", (0.5, 1.2, 3.5, 6), {
        "oxycodone": 0.65, "fentanyl patches": 0.4, "laxative": 0.7, "heat patches": 0.5, "naloxone spray": 0.1,
    }),
    Profile("opioid substitution", (2.5, 2.5, 2, 0.2), {
        "methadone": 0.9, "naloxone spray": 0.5, "sharps box": 0.4, "laxative": 0.35, "nicotine gum": 0.3,
    }),
    Profile("alcohol", (0.7, 1.5, 3, 1.5), {
        "disulfiram": 0.8, "multivitamin": 0.5, "magnesium": 0.4, "antacid": 0.3,
    }),
    Profile("epilepsy", (1.2, 1.2, 1.2, 1.5), {"levetiracetam": 0.85, "pill organiser": 0.2, "vitamin D": 0.2}),
    Profile("dementia", (0, 0, 0.4, 9), {
        "donepezil": 0.85, "pill organiser": 0.55, "incontinence pads": 0.55, "support stockings": 0.2,
    }),
    Profile("Parkinson", (0, 0, 0.6, 4), {"levodopa": 0.9, "laxative": 0.4, "pill organiser": 0.35}),
    Profile("breast cancer", (0.2, 1.2, 3.5, 3.5), {
        "tamoxifen": 0.85, "urea cream": 0.55, "vitamin D": 0.5, "ginger tea": 0.35,
    }),
    Profile("living with HIV", (2, 2, 3, 1), {
        "antiretrovirals": 0.95, "pill organiser": 0.45, "loperamide": 0.45, "condoms": 0.4, "multivitamin": 0.3,
    }),
    Profile("HIV prevention", (5, 2, 1, 0), {
        "HIV prevention pills": 0.85, "HIV self-test": 0.5, "condoms": 0.5, "lubricant": 0.6,
    }),
    Profile("going out", (16, 3, 2, 0.5), {
        "condoms": 0.65, "lubricant": 0.1, "contraceptive pill": 0.2, "emergency contraceptive": 0.08,
        "HIV self-test": 0.05, "pregnancy test": 0.05,
    }),
    Profile("contraception", (20, 10, 4, 0), {"contraceptive pill": 0.85}),
    Profile("after a mishap", (5, 2.5, 1, 0), {
        "emergency contraceptive": 0.8, "pregnancy test": 0.3, "condoms": 0.25, "heat patches": 0.2,
    }),
    Profile("herpes", (2.5, 2.5, 2, 1), {"aciclovir tablets": 0.8, "zinc": 0.25, "lip balm": 0.25}),
    Profile("erection", (0.5, 1.2, 5, 7), {"sildenafil": 0.8, "lubricant": 0.15, "zinc": 0.1}),
    Profile("trying for a child", (1.5, 6, 0.7, 0), {
        "ovulation test": 0.7, "folic acid": 0.6, "pregnancy test": 0.5, "zinc": 0.15,
    }),
    Profile("pregnant", (2.5, 9, 0.3, 0), {
        "folic acid": 0.75, "ginger tea": 0.55, "pregnancy test": 0.65, "iron": 0.35, "stretch mark oil": 0.4,
        "magnesium": 0.3, "antacid": 0.2,
    }),
)  # fmt: skip

# What single customers call sensitive although the common list does not.
PRIVATE = (
    "nicotine patches", "lice shampoo", "incontinence pads", "condoms", "antifungal cream", "contraceptive pill",
    "ovulation test", "metformin", "laxative", "acne gel", "lubricant",
)  # fmt: skip


class Product(NamedTuple):
    name: str
    category: str
    department: str
    sensitive: bool


def products() -> Iterator[Product]:
    """The catalogue, one product at a time, in shelf order."""
    for department, categories in CATALOGUE.items():
        for category, shelf in categories.items():
            for entry in shelf.split(", "):
                yield Product(entry.rstrip("*"), category, department, entry.endswith("*"))


SENSITIVE = tuple(p.name for p in products() if p.sensitive)


def customers(draw: Draw) -> Iterator[list[str]]:
    """What each customer bought: 1 to 25 different products, in alphabetical order."""
    weights = {p.name: EVERYDAY.get(p.name, 0.02 if p.sensitive else RARELY) for p in products()}
    for _ in range(CUSTOMERS):
        stage, loyalty = draw.one(STAGES), draw.one(LOYALTY)
        bought: dict[str, None] = {}
        for profile in PROFILES:
            if draw.chance(profile.percent[stage] / 100):
                bought |= {item: None for item, p in profile.buys.items() if draw.chance(p * loyalty)}
        wanted = min(max(len(bought) + draw.one(EVERYDAY_ITEMS), 1), LONGEST)
        while len(bought) < wanted:
            bought[draw.one(weights)] = None
        yield sorted(list(bought)[:LONGEST])


def choices(draw: Draw, baskets: list[list[str]]) -> list[tuple[int, str]]:
    """What 150 customers call sensitive, 1 to 3 products each: (line from 1, product), sorted.

    Mostly something they bought; now and then something they did not buy and do not want to be suspected of.
    """
    worrying = (*SENSITIVE, *PRIVATE)
    lines = [line for line, basket in enumerate(baskets, start=1) if not set(basket).isdisjoint(worrying)]
    chosen: set[tuple[int, str]] = set()
    for _ in range(CHOOSERS):
        line = lines.pop(draw.below(len(lines)))
        own = [item for item in baskets[line - 1] if item in worrying]
        for _ in range(draw.one({1: 55, 2: 30, 3: 15})):
            pool = own if draw.chance(0.7) else worrying
            chosen.add((line, pool[draw.below(len(pool))]))
    return sorted(chosen)
