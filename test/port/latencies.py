#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""latencies.py [--build DIR] - scripts/runtime-latencies measures, and its table and picture have the same rows."""
import csv
import io
import json
import os
import subprocess
import sys
import xml.dom.minidom

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402

ARGS = frame.arguments(__doc__)
COMMAND = [os.path.join(HERE, "../../scripts/runtime-latencies"), "--build", ARGS.build, "--runtime", "gomp",
           "--runs", "2", "--rounds", "100"]
KEYS = ("gomp", "omp", "tbb", "qth", "mth", "starpu", "cilk", "abt", "async")


@frame.test
def libgomp(folder):
    """One worker has nobody to steal from it; it runs a child at once, or later."""
    picture = os.path.join(folder, "latencies.svg")
    done = subprocess.run([*COMMAND, "--workers", "1", "--csv", "--picture", picture], capture_output=True, text=True,
                          check=True, timeout=600)
    rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
    assert {"create", "inlined"} & set(rows) and "empty-wait" in rows and "steal" not in rows, done.stdout
    for row in rows.values():
        assert 0 <= float(row["p10_ns"]) <= float(row["median_ns"]) <= float(row["p90_ns"]), row
    dots = xml.dom.minidom.parse(picture).getElementsByTagName("circle")
    assert len(dots) == len(rows), (len(dots), rows)
    done = subprocess.run(COMMAND, capture_output=True, text=True, check=True, timeout=600)
    head, line = done.stdout.splitlines()
    assert (head.split()[0], line.split()[0]) == ("runtime", "libgomp"), done
    assert len(head.split()) == len(line.split()), done


@frame.test
def each_runtime(_):
    """Each one that is here has a row, in which something is measured; the others are named."""
    done = subprocess.run([*COMMAND[:3], "--runs", "1", "--rounds", "40", "--json"], capture_output=True, text=True,
                          check=True, timeout=600)
    said = json.loads(done.stdout)
    rows = {of["runtime"]: of["latencies"] for of in said["runtimes"]}
    assert {"libgomp", "std::async"} <= set(rows) and len(rows) + len(said["absent"]) == len(KEYS), said
    for name, row in rows.items():
        assert "empty-wait" in row and {"create", "inlined"} & set(row), (name, row)
        for of in row.values():
            assert list(of) == ["p10_ns", "median_ns", "p90_ns"] and 0 <= of["p10_ns"] <= of["p90_ns"], (name, row)
    # a thread of its own runs each child, and nobody else
    assert "steal" in rows["std::async"] and not {"inlined", "at-wait"} & set(rows["std::async"]), rows


@frame.test
def wrong_calls(_):
    """One line says what is wrong, with exit status 2."""
    for words, said in ((["--runtime", "gpu"], "one of gomp, "), (["--csv", "--json"], "not allowed"),
                        (["--rounds", "3"], "at least"), (["--workers", "0"], "at least")):
        done = subprocess.run([COMMAND[0], *words], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and said in done.stderr.splitlines()[-1], (words, done)


if __name__ == "__main__":
    sys.exit(frame.run("latencies", ARGS))
