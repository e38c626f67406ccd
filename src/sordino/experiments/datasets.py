"""The public data sets of the papers: where they lie, or how they are fetched.

A data set is looked for in $SORDINO_DATA and in sordino's cache. If it is in neither, `fetch` downloads its source with
Pooch, brings it to the one form in which we use it, and checks the sha256 of that text: the sources are other people's
copies, in several forms, and a copy that differs is not the data set. None of them is part of sordino.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sordino.compare.store import cache_folder, write_atomically
from sordino.errors import InputError, MissingExtra, did_you_mean

__all__ = ["DATASETS", "Dataset", "data_folders", "fetch", "find", "named"]

ADULT = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,"
    "capital-loss,hours-per-week,native-country,income\n"
)
CRX = ",".join(f"A{k}" for k in range(1, 17)) + "\n"
ALICE = "https://raw.githubusercontent.com/acdmammoths/alice/b5d4eea659f2c13d0b17b3115c94fcf293c7afcd/code/datasets"
UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
KDD = "KDD Cup 2000, Blue Martini Software: any use with acknowledgment; cite Zheng, Kohavi, Mason, KDD 2001"


@dataclass(frozen=True)
class Dataset:
    """One file: its form, its size, the sha256 of its (unzipped) text, and where its source is (None: nowhere)."""

    name: str
    file: str
    form: str  # baskets | table | hierarchy
    records: int
    columns: int  # distinct items, columns or levels
    sha256: str
    url: str | None
    convert: Callable[[bytes], bytes]
    terms: str


def _ascending(source: bytes) -> bytes:
    """FIMI text: the items of a record once and ascending, a blank between them."""
    lines = (sorted({int(word) for word in line.split() if int(word) >= 0}) for line in source.splitlines())
    return b"".join(b" ".join(b"%d" % item for item in line) + b"\n" for line in lines if line)


def _as_it_is(source: bytes) -> bytes:
    return source


def _adult(source: bytes) -> bytes:
    """UCI's text under a header, without its comment line and blank last lines."""
    lines = [line for line in source.decode().splitlines() if line.strip() and not line.startswith("|")]
    return (ADULT + "".join(f"{line}\n" for line in lines)).encode()


def _crx(source: bytes) -> bytes:
    return CRX.encode() + source.replace(b"\r\n", b"\n").strip() + b"\n"


DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            "BMS-WebView-1",
            "BMS-WebView-1.dat.gz",
            "baskets",
            59_602,
            497,
            "ea5189346c5f719204508c0ba3cd53a34d01181f2aebbcf65ff4ef57acaadea2",
            f"{ALICE}/BMS1.txt",
            _ascending,
            KDD,
        ),
        Dataset(
            "BMS-WebView-2",
            "BMS-WebView-2.dat.gz",
            "baskets",
            77_512,
            3_340,
            "4cd78d2d07a0ae3ee4b471b19260c1a2d5252301657d7e9dd33335e4c10f39df",
            f"{ALICE}/BMS2.txt",
            _ascending,
            KDD,
        ),
        Dataset(
            "Retail",
            "Retail.dat.gz",
            "baskets",
            88_162,
            16_470,
            "8eebf67a21e008e2c6a0ebe0d8ca44bb7abfd6b22386112ea0a92b4a47067092",
            "http://fimi.uantwerpen.be/data/retail.dat",
            _ascending,
            "FIMI repository, donated by Tom Brijs: any use with acknowledgment; cite Brijs et al., KDD 1999",
        ),
        Dataset(
            "BMS-POS part (275k)",
            "BMS-POS-part-275k.dat.gz",
            "baskets",
            275_000,
            1_515,
            "8600e686e9bafdb19992c1af7ca793b86ca08c670cf40be5d7afe99f460e77a5",
            None,  # cut from two other files, with numbers of the whole; the whole is nowhere to be had
            _as_it_is,
            KDD,
        ),
        Dataset(
            "Groceries",
            "groceries.csv.gz",
            "baskets",
            9_835,
            169,
            "07ee9afc65aec4d5af160947011fbbff97856e7827af4ad81f3ed3927e324f43",
            "https://raw.githubusercontent.com/stedy/Machine-Learning-with-R-datasets/master/groceries.csv",
            _as_it_is,
            "from the R package arules, GPL-3; cite Hahsler, Hornik, Reutterer 2006",
        ),
        Dataset(
            "Groceries hierarchy",
            "groceries_hierarchy.csv.gz",
            "hierarchy",
            169,
            3,
            "b5c40465dff6c0e0810d68bc66ddb9c5616080590075ae51ad2ef7638a80889d",
            None,  # joined from three files of arules
            _as_it_is,
            "from the R package arules, GPL-3",
        ),
        Dataset(
            "Adult train",
            "adult_train.csv.gz",
            "table",
            32_561,
            15,
            "bdfc6671ccd81a9129bb8aa1f7c382ae483f9349721bb4df47d8b12c735b5fca",
            f"{UCI}/adult/adult.data",
            _adult,
            "UCI, CC BY 4.0",
        ),
        Dataset(
            "Adult test",
            "adult_test.csv.gz",
            "table",
            16_281,
            15,
            "b67fdfeb1b7e4cc1f7d967ba14175e4cf92d90284583b7fb8acdd12ab96245ae",
            f"{UCI}/adult/adult.test",
            _adult,
            "UCI, CC BY 4.0",
        ),
        Dataset(
            "CRX",
            "crx.csv.gz",
            "table",
            690,
            16,
            "b1a1a32740d4b3e0c5837ee250dcceb4ab1f8005c0fb085da77d793bc2f4096d",
            f"{UCI}/credit-screening/crx.data",
            _crx,
            "UCI, CC BY 4.0",
        ),
    )
}


def named(name: str) -> Dataset:
    """The data set of that name, in any case."""
    for dataset in DATASETS.values():
        if dataset.name.lower() == name.lower():
            return dataset
    raise InputError(f"there is no data set '{name}'.{did_you_mean(name, DATASETS)}", hint="See: sordino datasets list")


def data_folders() -> tuple[Path, ...]:
    """Where files are looked for: $SORDINO_DATA, then the cache."""
    stated = os.environ.get("SORDINO_DATA")
    return (*((Path(stated),) if stated else ()), cache_folder() / "data")


def find(dataset: Dataset) -> Path | None:
    """Where the file lies, if it does."""
    return next((path for folder in data_folders() if (path := folder / dataset.file).is_file()), None)


def check(dataset: Dataset, path: Path) -> None:
    """An InputError if the file does not hold that data set."""
    try:
        text = gzip.decompress(path.read_bytes())
    except (OSError, EOFError):
        raise InputError("this is not a whole gzip file", where=str(path)) from None
    if hashlib.sha256(text).hexdigest() != dataset.sha256:
        raise InputError(f"this is not {dataset.name}: its checksum is another", where=str(path))


def fetch(dataset: Dataset, *, url: str | None = None) -> Path:
    """The file: where it lies already, or else downloaded into the cache and checked."""
    found = find(dataset)
    if found is not None:
        check(dataset, found)
        return found
    source = url or dataset.url
    by_hand = f"Put {dataset.file} into a folder and set SORDINO_DATA to it."
    if source is None:
        raise InputError(f"{dataset.name} cannot be downloaded in the form we use", hint=by_hand)
    try:
        import pooch
    except ImportError:
        raise MissingExtra("Pooch", "data", "Downloading data sets") from None
    pooch.get_logger().setLevel(logging.ERROR)
    downloads = cache_folder() / "downloads"
    try:
        raw = Path(pooch.retrieve(source, known_hash=None, path=downloads, fname=f"{dataset.file}.source"))
    except Exception as error:  # requests, urllib3, ftp and file systems all have errors of their own
        raise InputError(
            f"{dataset.name} could not be downloaded ({type(error).__name__}); is this machine offline?",
            where=source,
            hint=by_hand,
        ) from None
    text = dataset.convert(raw.read_bytes())
    raw.unlink()
    if hashlib.sha256(text).hexdigest() != dataset.sha256:
        raise InputError(
            f"what was downloaded is not {dataset.name}: its checksum is another", where=source, hint=by_hand
        )
    path = cache_folder() / "data" / dataset.file
    write_atomically(path, gzip.compress(text, 9, mtime=0))
    return path
