#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pictures.py - runs three sick programs, and takes the pictures of their pages that README shows."""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SICK = os.path.join(HERE, "..", "sick")
ATTEMPTS = 5  # the shortest run is shown: others used the cores in the rest
MOST = 120000  # bytes of a picture
# what of its page a picture shows; the idle stretch is the longest
PICTURES = {
    "lock": "#finding=0&view=source",
    "tail": "#view=scg&arcs=none",
    "taskwait": "#view=why",
}


def record(tptrace, folder, name, under):
    program, best = os.path.join(folder, name), os.path.join(folder, name + ".tpt")
    subprocess.run(["gcc", "-O2", "-g", "-fopenmp", "-o", program, os.path.join(SICK, name + ".c")], check=True)
    least = None
    for attempt in range(ATTEMPTS):
        trace = os.path.join(folder, f"{name}.{attempt}.tpt")
        subprocess.run([*under, tptrace, "record", "-o", trace, "--", "./" + name], cwd=folder, check=True, capture_output=True)
        report = subprocess.run([tptrace, "report", "--json", trace], check=True, capture_output=True)
        elapsed = json.loads(report.stdout)["elapsed_ns"]
        if least is None or elapsed < least:
            least = elapsed
            os.replace(trace, best)
        else:
            os.remove(trace)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--to", default=os.path.join(HERE, "../../tools/view/pictures"))
    parser.add_argument("--under", default="", help="a command that runs the programs, such as 'chrt --fifo 50'")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    tptrace, folder = os.path.join(build, "tptrace"), os.path.join(build, "view", "pictures")
    env = {**os.environ, "PACKAGES": os.path.join(build, "view", "packages")}
    if not os.path.isdir(env["PACKAGES"]):
        sys.exit("pictures: playwright-core is missing; 'make check-view' installs it")
    os.makedirs(folder, exist_ok=True)
    os.makedirs(args.to, exist_ok=True)
    for name, fragment in PICTURES.items():
        page, picture = os.path.join(folder, name + ".html"), os.path.join(args.to, name + ".png")
        subprocess.run([tptrace, "view", "--source", SICK, "-o", page, record(tptrace, folder, name, args.under.split())], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["node", os.path.join(HERE, "shot.mjs"), fragment, picture, page, "1440", "860"], env=env, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["node", os.path.join(HERE, "small.mjs"), picture], check=True)
        if os.path.getsize(picture) > MOST:
            sys.exit(f"{picture}: {os.path.getsize(picture)} bytes, more than {MOST}")
    return 0


sys.exit(main())
