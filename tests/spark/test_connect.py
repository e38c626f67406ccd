"""A Connect session, which is DataFrames and nothing else of a session: in a process of its own, beside no other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spark_cluster import environment, missing

SCRIPT = """
import sys, warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
import sordino, sordino.spark

builder = SparkSession.builder.remote("local[1]").config("spark.sql.shuffle.partitions", "2")
spark = builder.config("spark.ui.enabled", "false").getOrCreate()
assert "connect" in type(spark).__module__
records = [["a", "x"], ["a", "x"], ["a"], ["b", "x"], ["b"], ["b"]]
frame = spark.createDataFrame([(r,) for r in records], "items array<string>")
policy = sordino.InferencePolicy(["x"], "1/2")
assert sordino.spark.audit(frame, policy, groups=2).people_at_risk == sordino.audit(records, policy).people_at_risk == 2
release = sordino.spark.protect(frame, policy, parts=2, seed=1)
release.write(sys.argv[1])
assert sordino.spark.verify(sys.argv[1], session=spark).holds
assert sordino.spark.verify(sys.argv[1]).holds
rows = [("Ulm", "flu"), ("Ulm", "flu"), ("Ulm", "cold"), ("Bonn", "flu"), ("Bonn", "cold"), ("Bonn", "cold")]
table = spark.createDataFrame(rows, "town string, illness string")
templates = sordino.TemplatePolicy([sordino.Template(["town"], "illness", ["flu"], "1/2")])
assert sordino.spark.audit(table, templates).people_at_risk == 2
sordino.spark.protect(table, templates, seed=1).write(sys.argv[1] + "-table")
assert sordino.spark.verify(sys.argv[1] + "-table", session=spark).holds
print("connected")
"""


@pytest.mark.slow
def test_a_connect_session_will_do(tmp_path: Path) -> None:
    lacking = missing()
    if lacking is not None:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have Spark: {lacking}")
        pytest.skip(lacking)
    pytest.importorskip("grpc", reason="no Connect client (pip install 'pyspark[connect]')")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "out")],
        env=environment(), cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "connected" in done.stdout, done.stdout[-2000:] + done.stderr[-4000:]
