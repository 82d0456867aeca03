# SPDX-License-Identifier: MIT
"""simulated.py - compares what `report --what-if` prints with what `tptrace simulate` does."""
import json
import subprocess


def json_of(tptrace, *arguments):
    done = subprocess.run([tptrace, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"{arguments}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def unlike(tptrace, path, report):
    """What `tptrace simulate` says otherwise."""
    told = report["what_if"]
    tried = [(None, told)] + [(c["change"], c) for f in report["findings"] for c in f["what_if"]]
    for change, times in tried:
        options = change.split(" ", 1) if change else []
        points = json_of(tptrace, "simulate", "--json", "-P", str(told["workers"]), "--runs", str(told["runs"]), "--seed",
                         str(told["seed"]), *options, path)["points"]
        for key in ("elapsed_ns", "low_ns", "high_ns"):
            if points[0][key] != times[key]:
                yield f"{change}: {key} is {times[key]}, and {points[0][key]} of simulate"
