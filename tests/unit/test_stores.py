"""Object stores, against a server of Amazon's protocol on this machine."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import fs, parquet

import sordino
from sordino.errors import InputError
from workbook import workbook

TEXT = b"user,item\n1,a\n1,b\n2,a\n"
RECORDS = [{"a", "b"}, {"a"}]
SECRET = "not-a-real-secret"


@pytest.fixture(scope="module")
def store() -> Iterator[fs.S3FileSystem]:
    server = pytest.importorskip("moto.server", reason="moto, the S3 server of the tests, is not installed")
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "somebody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        system = fs.S3FileSystem(endpoint_override=f"{host}:{port}", scheme="http", allow_bucket_creation=True)
        system.create_dir("people")
        yield system
    running.stop()


def put(store: Any, name: str, content: bytes) -> str:
    with store.open_output_stream(f"people/{name}") as stream:
        stream.write(content)
    return f"s3://people/{name}?region=us-east-1&scheme=http&endpoint_override={_endpoint()}"


def _endpoint() -> str:
    return os.environ["AWS_ENDPOINT_URL"].removeprefix("http://")


def test_files(store: Any) -> None:
    assert list(sordino.read_baskets(put(store, "x.csv", TEXT))) == RECORDS
    assert list(sordino.read_baskets(put(store, "x.csv.gz", gzip.compress(TEXT)))) == RECORDS
    sheet = workbook({"S": [["user", "item"], [1, "a"], [1, "b"], [2, "a"]]})
    assert list(sordino.read_baskets(put(store, "x.xlsx", sheet) + "#S")) == RECORDS
    assert list(sordino.read_baskets("s3://people/x.csv")) == RECORDS  # all else from the environment
    out = io.BytesIO()
    parquet.write_table(pa.table({"user": [1, 1, 2], "item": ["a", "b", "a"]}), out)
    address = put(store, "x.parquet", out.getvalue())
    assert list(sordino.read_baskets(address)) == RECORDS
    assert sordino.read_table(address).names == ("user", "item")
    assert sordino.inspect(address).kind == "baskets"


def test_a_folder(store: Any, tmp_path: Path) -> None:
    for part, rows in enumerate(({"user": [1, 1], "item": ["a", "b"]}, {"user": [2], "item": ["a"]})):
        out = io.BytesIO()
        parquet.write_table(pa.table(rows), out)
        put(store, f"sales/day={part}/part.parquet", out.getvalue())
    address = f"s3://people/sales?region=us-east-1&scheme=http&endpoint_override={_endpoint()}"
    assert list(sordino.read_baskets(address)) == RECORDS
    assert sordino.read_table(address).names == ("user", "item", "day")
    release = sordino.protect(address, sordino.InferencePolicy(["b"], "0.4"), seed=1)
    release.write(tmp_path / "out")
    assert sordino.verify(tmp_path / "out").holds


def test_what_is_not_there(store: Any) -> None:
    address = put(store, "x.csv", TEXT)
    with pytest.raises(InputError, match="there is no such file"):
        sordino.read_baskets(address.replace("x.csv", "y.csv"))


def test_credentials_do_not_stand_in_addresses() -> None:
    for address in (
        f"s3://somebody:{SECRET}@people/x.csv",
        f"s3://people/x.csv?secret_key={SECRET}",
        f"abfs://box:{SECRET}@account/x.csv",
    ):
        with pytest.raises(InputError, match="credentials may not stand in an address") as refused:
            sordino.read_baskets(address)
        assert SECRET not in str(refused.value)
