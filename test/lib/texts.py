# SPDX-License-Identifier: MIT
"""texts.py - traces as text that several tests use, and where they are."""
import os


def trace(test_file, name):
    """The text of a trace that a test has in traces/ beside it, without the comments."""
    with open(os.path.join(os.path.dirname(test_file), "traces", name + ".txt"), encoding="utf-8") as file:
        return "".join(line for line in file if not line.startswith("#"))


class Texts:
    """Text traces in a folder, by numbers."""

    def __init__(self, folder):
        self.folder, self.n = folder, 0

    def put(self, text):
        self.n += 1
        path = os.path.join(self.folder, f"{self.n}.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


def loop(n, workers=1, rank=None):
    """n tasks of 100 ns, created by main, then run by all workers in turn."""
    text = f"tptrace text 2\nclock ns\nmeta exe /flat\nmeta param n={n}\n"
    text += f"meta host node{rank}\nmeta pid {rank + 1}\nmeta rank {rank}\nmeta ranks 3\n" if rank is not None else ""
    text += f"runtime 0 name=x workers={workers}\nsite 1 name=t file=t.c line=1\n0 w0 root 0.1\n"
    for i in range(n):
        text += f"{i * 20 + 10} w0 create 0.{i + 2} site=1\n{i * 20 + 15} w0 resume 0.1\n"
    now = n * 20 + 10
    text += f"{now} w0 wait children site=1\n"
    for i in range(n):
        text += f"{now} w{i % workers} begin 0.{i + 2}\n"
        if i % workers == workers - 1 or i == n - 1:
            text += "".join(f"{now + 100} w{w} end\n" for w in range(i % workers + 1))
            now += 100
    return text + f"{now} w0 resume 0.1\n{now + 10} w0 end\n"
