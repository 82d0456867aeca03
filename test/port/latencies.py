#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""latencies.py [--build DIR] - scripts/runtime-latencies measures, and its table and picture have the same rows."""
import csv
import io
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


if __name__ == "__main__":
    sys.exit(frame.run("latencies", ARGS))
