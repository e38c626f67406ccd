"""Unpacking within bounds: what is there is unpacked, what is too large, cut short or damaged is refused."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest

from sordino.data.sources.bytes import gunzip, size_limit
from sordino.errors import InputError

NOISE = bytes(range(256)) * 20_000


def refused(data: bytes, limit: int | None = None) -> InputError:
    with pytest.raises(InputError) as caught:
        gunzip(data, "x.csv.gz", limit)
    assert caught.value.where == "x.csv.gz"
    return caught.value


@pytest.mark.parametrize("text", [b"", b"a", NOISE, b"\0" * 5_000_000], ids=["empty", "one", "long", "zeros"])
def test_members_one_after_the_other_and_padding(text: bytes) -> None:
    packed = gzip.compress(text)
    assert gunzip(packed, "x") == text
    assert gunzip(packed + packed, "x") == text + text
    assert gunzip(packed + b"\0" * 7 + packed + b"\0\0", "x") == text + text


def test_every_way_to_be_cut_short_or_damaged() -> None:
    packed = gzip.compress(b"zebra 1 2\n" * 3)
    for end in range(1, len(packed)):
        assert "cut short" in refused(packed[:end]).what
        assert "cut short" in refused(packed + packed[:end]).what
    assert "damaged" in refused(packed[:-8] + bytes(8)).what
    assert "damaged" in refused(packed + b"rest").what


def test_a_bomb_is_refused_before_it_goes_off() -> None:
    packed = gzip.compress(b"a,b\n" * 50_000_000, 9)  # 200 MB
    tracemalloc.start()
    error = refused(packed, 10_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "10,000,000 bytes" in error.what
    assert peak < 20_000_000
    assert len(gunzip(packed, "x", 200_000_000)) == 200_000_000
    assert "199,999,999" in refused(packed, 199_999_999).what


def test_the_limit_can_be_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SORDINO_MAX_BYTES", raising=False)
    assert 0 < size_limit() <= 8_000_000_000
    monkeypatch.setenv("SORDINO_MAX_BYTES", "1000")
    error = refused(gzip.compress(bytes(1001)))
    assert error.hint is not None
    assert "SORDINO_MAX_BYTES" in error.hint
    assert gunzip(gzip.compress(bytes(1000)), "x") == bytes(1000)
    monkeypatch.setenv("SORDINO_MAX_BYTES", "20G")
    with pytest.raises(InputError, match="SORDINO_MAX_BYTES"):
        size_limit()
