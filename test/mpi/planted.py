#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""planted.py [--build DIR] [--library NAME] [PLANT..] - a planted cause is found, a repaired one is not.

On Open MPI and on MPICH.  Programs sleep where they work, so that the machine's load matters little, and they can run
beside each other, but for one with many messages; where load makes ranks late all the same, a plant is tried again.
"""
import argparse
import concurrent.futures
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = {  # its compiler, and what starts ranks
    "Open MPI": ("mpicc.openmpi", ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"]),
    "MPICH": ("mpicc.mpich", ["mpirun.mpich"]),
}
LATE = {"bcast": (3, 1), "reduce": (3, 1), "barrier": (8, 3), "allreduce": (4, 2), "begun": (2, 0), "split": (3, 1),
        "fence": (3, 1), "written": (3, 1), "bcast_between": (4, 2), "prepared_reduce": (3, 1)}
MPI_4 = ("prepared_reduce", "parts", "large_count")
PLANTS = {  # ranks, the cause, the rank that is late or that loses, and what the line of its tasks says
    "sender": (4, "late_sender", 0, "late"),
    "any_sender": (3, "late_sender", 2, "late"),
    "probed_sender": (3, "late_sender", 2, "late"),
    "asked_sender": (2, "late_sender", 1, "late"),
    "sender_between": (4, "late_sender", 1, "late"),
    "parts": (2, "late_sender", 1, "late"),
    "large_count": (2, "late_sender", 1, "late"),
    "exposed_late": (2, "late_sender", 1, "late"),
    "written_late": (2, "late_sender", 0, "late"),
    "receiver": (2, "late_receiver", 1, "late"),
    "waited_receiver": (2, "late_receiver", 1, "late"),
    **{name: (n, "late_collective", late, "late") for name, (n, late) in LATE.items()},
    "imbalance": (4, "rank_imbalance", 3, "uneven"),
    "imbalance_in_turn": (2, "rank_imbalance", None, "uneven"),
    "small": (2, "small_messages", None, "small"),
    "serial": (2, "serial_mpi", 0, "MPI_Send(&x, 1, MPI_INT, 1, tag"),
    "ready": (2, "message_ready", 1, "keeps"),
}
ALONE = "small"
TRIES = 3


def run(*command, cwd=None):
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "COLUMNS": "100"}
    env.pop("OMP_NUM_THREADS", None)
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300, check=False,
                          cwd=cwd)
    assert done.returncode == 0, (command, done)
    return done.stdout


def line_of(text):
    with open(f"{HERE}/planted.c", encoding="utf-8") as file:
        return next(n for n, line in enumerate(file, 1) if f"/* {text} " in line or "(" in text and text in line)


def record(tptrace, library, folder, plant, repaired):
    """The job's report as JSON, and as the first screen."""
    compiler, start = LIBRARIES[library]
    own = f"{folder}/{plant}{repaired}"
    os.mkdir(own)
    flags = ["-w", "-O1", "-g", "-fopenmp", *["-DREPAIR"] * repaired]
    between = []
    if plant == "serial":
        run(compiler, *flags, "-shared", "-fPIC", "-o", f"{own}/libserial.so", f"{HERE}/serial.c")
        between = [f"-L{own}", f"-Wl,-rpath,{own}", "-Wl,--no-as-needed", "-lserial"]
    run(compiler, *flags, f"-DPLANT={plant}", "-o", f"{own}/{plant}", f"{HERE}/planted.c", *between)
    run(*start, "-n", str(PLANTS[plant][0]), tptrace, "record", "-q", "-o", f"{own}/", f"{own}/{plant}", cwd=own)
    traces = [f"{own}/{name}" for name in os.listdir(own) if name.endswith(".tpt")]
    return json.loads(run(tptrace, "report", "--json", *traces))["total"], run(tptrace, "report", *traces)


def losses(total, plant):
    """Of the findings of that cause at that line: (share, rank)."""
    _, cause, _, text = PLANTS[plant]
    for found in total["findings"]:
        if found["id"] == cause and found["line"] in (line_of(text), line_of(text) + 1):
            rank = [fact["value"] for fact in found["facts"] if fact["id"] == "rank"]
            yield found["lost_ns"] / total["cumulative_ns"], (rank or [None])[0]


def check(tptrace, library, folder, plant):
    _, cause, rank, _ = PLANTS[plant]
    total, screen = record(tptrace, library, folder, plant, False)
    found = list(losses(total, plant))
    ids = [(f["id"], f["line"], round(f["lost_ns"] / total["cumulative_ns"], 3)) for f in total["findings"]]
    assert found and (rank is None or found[0][1] == rank), (library, plant, ids)
    line = next(f["line"] for f in total["findings"] if f["id"] == cause)
    assert f"planted.c:{line}" in screen, screen
    repaired, _ = record(tptrace, library, folder, plant, True)
    left = sum(share for share, _ in losses(repaired, plant))
    assert left < found[0][0] / 2, (library, plant, found, left)
    others = [(f["id"], f["line"], round(f["lost_ns"] / repaired["cumulative_ns"], 3)) for f in repaired["findings"]]
    print(f"{library}: {plant}: {cause} {found[0][0]:.0%}, repaired {left:.0%}; {ids} / {others}")


def check_some_run(tptrace, library, plant):
    for left in reversed(range(TRIES)):
        with tempfile.TemporaryDirectory(prefix="tptrace-mpi.") as folder:
            try:
                check(tptrace, library, folder, plant)
                return
            except AssertionError as wrong:
                if not left:
                    raise
                print(f"{plant}: once more, as {wrong}"[:300])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
    parser.add_argument("--library", choices=LIBRARIES)
    parser.add_argument("plant", nargs="*", default=list(PLANTS))
    args = parser.parse_args()
    for library in [args.library] if args.library else LIBRARIES:
        if not shutil.which(LIBRARIES[library][0]):
            print(f"skip causes planted with {library}: there is no {LIBRARIES[library][0]}")
            continue
        check_one = functools.partial(check_some_run, os.path.abspath(f"{args.build}/tptrace"), library)
        plants = [plant for plant in args.plant if library != "Open MPI" or plant not in MPI_4]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(check_one, [plant for plant in plants if plant != ALONE]))
        list(map(check_one, [plant for plant in plants if plant == ALONE]))
    print(f"{len(args.plant)} planted causes are found, and not once repaired")


if __name__ == "__main__":
    sys.exit(main())
