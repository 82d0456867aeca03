# SPDX-License-Identifier: MIT
"""inside_cases.py - runs whose tasks meet inside their code, as stack samples show, and the same repaired."""
from plant import case, loop


def drawn(repaired=False):
    """Two workers run `part` side by side for 40 us; samples of 100 ns each, of which three of four are in rand().

    At 198 of w0's samples there the last one of w1 was there, too, and at all 298 of w1's that of w0.
    """
    trace = loop(2, [("part", 20000)] * 4, sample_period_ns=100)
    trace.head += ["frame 0 pc=0x1010 fn=0x1000 name=part file=planted.c line=7",
                   "frame 1 pc=0x9010 fn=0x9000 name=__random",
                   "frame 2 pc=0x9110 fn=0x9100 name=rand",
                   "stack 1 frame=0", "stack 2 frame=2 parent=1", "stack 3 frame=1 parent=2"]
    for n in range(398):
        stack = 3 if n % 4 and not repaired else 1
        trace.head += [f"sample w{worker} {n * 100 + 50 + worker} stack={stack}" for worker in range(2)]
    return trace


@case
def code_rand():
    return drawn(), {("contention", "part"): 49600}


@case
def code_none():
    return drawn(repaired=True), {}
