#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""recorded.py [--build DIR] - reports of recorded taskloops, against brute force.

A taskloop's tasks are made in one call, which may return before its group is waited for; on libomp OMPT
says less than libgomp's calls do.  So what is real is checked, as random traces are: all figures of the
report are those of brute.py.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../lib"))
import frame  # noqa: E402
import tracing  # noqa: E402
from brute import Trace  # noqa: E402
from check import differences  # noqa: E402

PROGRAM = """
static volatile double out[100];
static void work(int i) { for (int k = 0; k < 2000 * (i % 7 + 1); k++) out[i] = out[i] * .5 + k; }
int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int round = 0; round < 3; round++) {
#pragma omp taskloop CLAUSE
		for (int i = 0; i < 100; i++)
			work(i);
	}
}
"""
CLAUSES = ("grainsize(4)", "grainsize(1)", "num_tasks(7)", "num_tasks(3) nogroup", "")
LEFT_OUT = re.compile(r"(cpu|process|sample|stack|frame|meta|sync|whole|module) ")
NAMES = re.compile(r" (calls-ps|ret|fn|ret-module|fn-module|name|file|line|at|at-file|at-line)=\S*")


def plain(dump):
    """A text trace without names and machine, whose units are ns."""
    for line in dump.splitlines():
        if line.startswith("clock "):
            yield "clock ns"
        elif line.startswith("runtime "):
            yield re.sub(r" calls-ps=\S*", "", line)
        elif line.startswith("site "):
            yield NAMES.sub("", line)
        elif not LEFT_OUT.match(line):
            yield line


def wrong_with(tptrace, program, folder, *options):
    trace, text = os.path.join(folder, "t.tpt"), os.path.join(folder, "t.txt")
    subprocess.run([tptrace, "record", "-q", "--force", *options, "-o", trace, "--", program], check=True, timeout=60,
                   env=tracing.environment(OMP_NUM_THREADS=2))
    dump = subprocess.check_output([tptrace, "dump", trace], text=True)
    with open(text, "w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in plain(dump))
    got = json.loads(subprocess.check_output([tptrace, "report", "--json", "--bounds", "--by=grain", text], text=True))
    return list(differences(Trace(text).report(), got))


def main():
    tptrace = frame.arguments(__doc__).tptrace
    bad = 0
    with tracing.new_folder("tptrace-recorded.") as folder:
        for compiler in ("gcc", "clang"):
            for clause in CLAUSES:
                source, program = os.path.join(folder, "loop.c"), os.path.join(folder, "loop")
                with open(source, "w", encoding="utf-8") as out:
                    out.write(PROGRAM.replace("CLAUSE", clause))
                if subprocess.run([compiler, "-O1", "-fopenmp", source, "-o", program], capture_output=True).returncode:
                    print(f"skip taskloops by {compiler}: it cannot compile them")
                    break
                for options in (("--collapse", "off"), ()):
                    wrong = wrong_with(tptrace, program, folder, *options)
                    bad += bool(wrong)
                    print("FAIL" if wrong else "ok", compiler, clause, *options, *wrong[:8], sep="\n    " if wrong else " ")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
