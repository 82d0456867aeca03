#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""job.py FOLDER RANKS WORKERS [HOSTS] - traces of a job as text.

Rounds of tasks, and a barrier to which one rank is late.
"""
import os
import sys

ROUNDS = 4
LATE = 3  # the rank
UNIT = 1000000  # ns of an even task
LATE_TIMES = 3  # as long on the late rank


def work_ns(rank, round_number, late):
    return UNIT * (LATE_TIMES if rank == late else 1) + 40000 * ((rank * 7 + round_number * 3) % 5)


class Rank:
    """The main task is on worker 0, and makes one task for each worker in a round."""

    def __init__(self, name, rank, ranks, workers, host, phases):
        self.rank, self.ranks, self.workers, self.n_tasks = rank, ranks, workers, 1
        self.lines = ["tptrace text 2", "clock ns", f"meta rank {rank}", f"meta host {host}", f"meta job {name}",
                      f"meta pid {4000 + rank}", f"runtime 0 name=x workers={workers}",
                      "site 1 name=work file=late.c line=10", "site 3 name=barrier file=late.c line=30"]
        for r in range(ROUNDS if phases else 0):
            self.lines.append(f"mark {r * (LATE_TIMES + 1) * UNIT} phase round{r % 2}")
        self.lines.append("0 w0 root 0.1")

    def work(self, begin, ns):
        """Tasks on all workers; when the last one has ended."""
        first = self.n_tasks + 1
        for i in range(self.workers):
            self.n_tasks += 1
            self.lines += [f"{begin} w0 create 0.{self.n_tasks} site=1", f"{begin} w0 resume 0.1"]
        self.lines.append(f"{begin} w0 wait children")
        self.lines += [f"{begin} w{i} begin 0.{first + i}" for i in range(self.workers)]
        self.lines += [f"{begin + ns} w{i} end" for i in range(self.workers)]
        self.lines.append(f"{begin + ns} w0 resume 0.1")

    def barrier(self, begin, end, number):
        self.lines.append(f"{begin} w0 wait message site=3")
        for field in ("all 0", "comm 1", f"order {number}", f"ranks {self.ranks}"):
            self.lines.append(f"- w0 message {field}")
        self.lines.append(f"{end} w0 resume 0.1")


def write(folder, n, workers, hosts=1, phases=False):
    """Traces of n ranks in the folder."""
    late = min(LATE, n - 1)
    os.makedirs(folder, exist_ok=True)
    ranks = [Rank(os.path.basename(folder), i, n, workers, f"node{i * hosts // n}", phases) for i in range(n)]
    now = 0
    for number in range(1, ROUNDS + 1):
        ends = [now + work_ns(i, number, late) for i in range(n)]
        for rank, end in zip(ranks, ends):
            rank.work(now, end - now)
            rank.barrier(end, max(ends) + 100, number)
        now = max(ends) + 100
    for rank in ranks:
        path = os.path.join(folder, f"late.r{rank.rank}.tpt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(rank.lines + [f"{now + 1000} w0 end"]) + "\n")


if __name__ == "__main__":
    write(sys.argv[1], *map(int, sys.argv[2:]))
