#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pictures.py - runs programs, and takes the pictures of their pages that README shows, light and dark."""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ATTEMPTS = 5  # the shortest run is shown: others used the cores in the rest
MOST = 120000  # bytes of a picture
# source, fragment and height of each: the page opens on its main finding, and shows what its colours mean; Dependences
# has the names of kinds in the timelines above it.  README has them 830 px wide
PICTURES = (("../sick/lock.c", "", 760), ("cholesky.c", "#view=ucc&large=true", 660))
WIDTH, SCALE, PART = "1180", "2", "#views"  # of the page; dots a pixel, and what is shown of it


def record(tptrace, folder, source, name, under):
    program, best = os.path.join(folder, name), os.path.join(folder, name + ".tpt")
    subprocess.run(["gcc", "-O2", "-g", "-fopenmp", "-o", program, source, "-lm"], check=True)
    least = float("inf")
    for attempt in range(ATTEMPTS):
        trace = os.path.join(folder, f"{name}.{attempt}.tpt")
        command = [*under, tptrace, "record", "-o", trace, "--", "./" + name]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        report = subprocess.run([tptrace, "report", "--json", trace], check=True, capture_output=True)
        elapsed = json.loads(report.stdout)["elapsed_ns"]
        if elapsed < least:
            least = elapsed
            os.replace(trace, best)
        else:
            os.remove(trace)
    return best


def take(page, fragment, height, look, picture, env):
    shot = ["node", os.path.join(HERE, "shot.mjs"), fragment, picture, page, WIDTH, str(height), look, SCALE, PART]
    subprocess.run(shot, env=env, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["node", os.path.join(HERE, "small.mjs"), picture], check=True)
    if os.path.getsize(picture) > MOST:
        sys.exit(f"{picture}: {os.path.getsize(picture)} bytes, more than {MOST}")


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
    for source, fragment, height in PICTURES:
        source = os.path.join(HERE, source)
        name = os.path.splitext(os.path.basename(source))[0]
        page = os.path.join(folder, name + ".html")
        trace = record(tptrace, folder, source, name, args.under.split())
        subprocess.run([tptrace, "view", "--source", os.path.dirname(source), "-o", page, trace], check=True,
                       stdout=subprocess.DEVNULL)
        for look in ("light", "dark"):
            take(page, fragment, height, look, os.path.join(args.to, f"{name}-{look}.png"), env)
    return 0


sys.exit(main())
