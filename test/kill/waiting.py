#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""waiting.py - the patience of these tests (test/lib/patience.py) ends as it says, with threads that are made up."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import patience  # noqa: E402

SECONDS = 100
NEVER = 10 * SECONDS


class Made(patience.Thread):
    def __init__(self, runs, ran_s, waited_s):  # pylint: disable=super-init-not-called
        self.runs, self.ran_s, self.waited_s = runs, ran_s, waited_s


class Watched(patience.Patience):
    """All that there is are threads that each second do this."""

    def __init__(self, each, progress=lambda: None):
        self.each, self.second = each, 0
        super().__init__(SECONDS, progress)

    def look(self):
        return {i: Made(runs, ran_s and ran_s * self.second, ran_s and waited_s * self.second)
                for i, (runs, ran_s, waited_s) in enumerate(self.each)}

    def lasts(self):
        """For so many seconds."""
        while self.spent_s < self.seconds and self.second < NEVER:
            self.second += 1
            self.spend(self.looked + 1)
        return self.second


def counting():
    counting.n += 1
    return counting.n


def slowly():
    return counting() // 3


counting.n = 0
CASES = [
    ("all sleep", [(False, 0, 0)] * 3, None, SECONDS),
    ("all sleep, and something goes on", [(False, 0, 0)] * 3, counting, SECONDS),
    ("nobody is left", [], None, SECONDS),
    ("one spins on a CPU of its own", [(True, 1, 0), (False, 0, 0)], None, SECONDS),
    ("one spins half of the time, and sleeps", [(False, .5, .01)], None, SECONDS),
    ("the kernel does not count", [(True, None, None)], None, SECONDS),
    ("one may run and never does", [(True, 0, 0), (False, 0, 0)], None, NEVER),
    ("one gets a tenth of what it wants", [(False, .1, .9)], None, NEVER),
    ("one gets half of what it wants", [(True, .5, .5)], None, SECONDS),
    ("one gets a fifth of what it wants", [(True, .2, .8)], None, 5 * SECONDS),
    ("five wait for each other's CPU", [(True, .2, .8)] * 5, None, SECONDS),
    ("some wait a little, now and then", [(False, .01, .2)] * 9, None, SECONDS),
    ("five starve and get on now and then", [(True, .2, .8)] * 5, slowly, NEVER),
]


def main():
    failed = 0
    for what, each, progress, wanted in CASES:
        lasts = Watched(each, progress or (lambda: None)).lasts()
        if not wanted - 1 <= lasts <= wanted + 1:
            failed += 1
            print(f"FAIL {what}: patience lasts {lasts} s, not {wanted}")
    print(f"waiting: {len(CASES)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
