#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""whatif.py - tptrace-evaluation(7) has the words that scripts/evaluate-whatif prints, about the changes that it makes."""
import argparse
import importlib.machinery
import importlib.util
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()


def loaded(path):
    loader = importlib.machinery.SourceFileLoader("evaluate", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("evaluate", loader))
    loader.exec_module(module)
    return module


def words(text):
    """Without its figures and line breaks."""
    return re.sub(r"\d+(\.\d+)?", "#", " ".join(text.split()))


evaluate = loaded(os.path.join(ROOT, "scripts", "evaluate-whatif"))
NAMES = {"gomp": "libgomp", "omp": "libomp"}
rows = [(name, NAMES[key], 10. + i, -.5 * i, i != 2) for i, (name, key) in
        enumerate((name, key) for name, keys, _ in evaluate.CHANGES for key in keys)]
told = " ".join(evaluate.told(rows))
# errors are 0, .5, 1.5 .. 4.5, without the 1 of the row that is not judged
assert f" predict {len(rows)} changes" in told and f" {len(rows) - 1} that ran" in told, told
assert "10 to 19 %" in told and " 2.5 % in the median, 4.5 % at worst" in told, told
with open(os.path.join(ROOT, "tools", "man", "tptrace-evaluation.7"), encoding="utf-8") as file:
    section = file.read().split("\n.SH WHAT A CHANGE GAINS\n")[1].split("\n.PP\n")[0]
paragraph = " ".join(re.sub(r"^\.B ", "", section, flags=re.M).split())
assert words(paragraph) == words(told.replace("`", "")), (words(paragraph), words(told))
assert f" predict {len(rows)} changes" in paragraph, paragraph
missing = [name for name, _, _ in evaluate.CHANGES if not os.path.exists(os.path.join(HERE, "..", "what_if", name + ".c"))]
assert not missing, missing
print("whatif: ok")
