#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""healthy.py - programs that need nothing but more CPUs are not accused while others use these.

Three more threads a CPU count as fast as they can.  Only the finding that the machine is loaded may have more than
5 % of elapsed x workers, and what no finding explains is below 10 %.
"""
import argparse
import contextlib
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", name) for name in ("port", "lib")]
import frame  # noqa: E402
import runtimes  # noqa: E402
import tracing  # noqa: E402

# libomp 14 crashes at "threads" by itself.
PROGRAMS = (("gcc", "healthy.c", "-fopenmp",
             ("loop", "tiles", "sort", "taskloop", "locked", "threads")),
            ("clang", "healthy.c", "-fopenmp", ("loop", "tiles", "sort", "taskloop", "locked")),
            ("g++", "healthy_tbb.cc", "-ltbb", ("loop", "sort", "pipeline")))
CHOLESKY = ("12",)  # tiles a side
LOAD = 3  # threads of others a CPU
ACCUSED, UNEXPLAINED = .05, .1  # of elapsed x workers


@contextlib.contextmanager
def loaded():
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(LOAD * os.cpu_count())]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def wrong(tptrace, program, name, path):
    """What is wrong with the findings of a run."""
    subprocess.run([tptrace, "record", "-q", "-o", path, "--", program, name], check=True, timeout=120,
                   env=tracing.environment(), stdout=subprocess.DEVNULL)
    report = tracing.report_of(tptrace, path)
    os.unlink(path)
    whole = report["cumulative_ns"]
    found = [(f["id"], f["where"], round(f["lost_ns"] / whole, 3)) for f in report["findings"] if f["id"] != "loaded"]
    if any(share > ACCUSED for _, _, share in found):
        return f"accused of {found}"
    if report["not_explained_ns"] > UNEXPLAINED * whole:
        return f"{report['not_explained_ns']} ns of {whole} are not explained"
    return None


def cholesky(build):
    """Cholesky on StarPU, or a line that says why not."""
    (starpu,) = [runtime for runtime in runtimes.find(build) if runtime.key == "starpu"]
    missing = starpu.missing or runtimes.missing_lapack()
    if missing:
        print(f"skip healthy tiles/cholesky on StarPU: {missing}")
        return []
    return [(runtimes.build_program(build, starpu, "tiles/cholesky"), CHOLESKY)]


def results(tptrace, folder):
    programs = cholesky(os.path.dirname(tptrace))
    for compiler, source, flag, names in PROGRAMS:
        if shutil.which(compiler):
            programs.append((f"{folder}/{source}-{compiler}", names))
            subprocess.run([compiler, "-O2", "-g", os.path.join(HERE, source), "-o", programs[-1][0], flag], check=True)
    with loaded():
        for program, names in programs:
            for name in names:
                yield f"{os.path.basename(program)} {name}", wrong(tptrace, program, name, f"{folder}/run.tpt")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
    args = parser.parse_args()
    tptrace = os.path.join(os.path.abspath(args.build), "tptrace")
    with tracing.new_folder("tptrace-healthy.") as folder:
        return frame.verdict("healthy, loaded", results(tptrace, folder))


if __name__ == "__main__":
    sys.exit(main())
