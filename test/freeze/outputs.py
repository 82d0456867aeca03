# SPDX-License-Identifier: MIT
"""
outputs.py - what is frozen: a name for each group of outputs, and the calls of tptrace that print them.

Each call runs in a folder that has all traces as text: golden ones (NAME.txt), runs with a planted cause
(planted.NAME.txt), those that are refused (bad.NAME.txt), and runs of several sizes, workers and ranks (size.N.txt,
workers.P.txt, rank.R.txt).  A call of `load` before others makes NAME.tpt.
"""
import glob
import itertools
import os
import re
import sys
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../golden/findings"), os.path.join(HERE, "../lib")]
import texts  # noqa: E402  pylint: disable=wrong-import-position
from cases import CASES  # noqa: E402  pylint: disable=wrong-import-position

WIDTHS = (60, 80, 100, 150)
BY = ("kind", "site", "path", "worker", "edge", "phase", "state", "lock", "wait", "grain", "code")
SWITCHES = (("--distribution",), ("--bounds",), ("--bounds", "--simulate", "1,2,4"), ("--compensate",), ("--verbose",),
            ("--what-if",), ("--by", "site", "--top", "1"), ("--by", "grain", "--top", "1"),
            ("--color", "always"), ("--from", "50ns", "--until", "150ns"))
PLANTED = (("--verbose",), ("--by", "path"), ("--by", "lock"), ("--by", "wait"), ("--json",), ("--json", "--what-if"))
FORMATS = ("sqlite", "csv", "perfetto", "chrome", "graphml", "dot", "folded", "speedscope", "paje")
FOLDED = ("work", "delay", "blocked", "no-work", "all")
PICTURES = ("profile", "histogram", "steals", "breakdown", "states")
SIZES = (4, 8, 16, 32, 64)
WORKERS = (1, 2, 4)


class Call(NamedTuple):
    """One run: its arguments, COLUMNS, the file or folder that it writes, and text for its standard input."""

    arguments: tuple
    columns: int = 80
    written: str = ""
    given: str = ""


def traces():
    """{name of the file: text}"""
    found = {}
    for prefix, folder in (("", "golden/report"), ("", "prop/found"), ("bad.", "golden/bad")):
        for path in glob.glob(os.path.join(HERE, "..", folder, "*.txt")):
            with open(path, "rb") as file:
                found[prefix + os.path.basename(path)] = file.read()
    found.update((f"planted.{name}.txt", make()[0].text().encode()) for name, make in CASES.items())
    found.update((f"size.{n}.txt", texts.loop(n).encode()) for n in SIZES)
    found.update((f"workers.{p}.txt", texts.loop(32, p).encode()) for p in WORKERS)
    found.update((f"rank.{r}.txt", texts.loop(8 << r, 2, r).encode()) for r in range(3))
    return found


def wide(*arguments):
    return [Call(arguments, columns) for columns in WIDTHS]


def both(*arguments):
    """As text, in all widths, and as JSON."""
    return wide(*arguments) + [Call((arguments[0], "--json", *arguments[1:]))]


def plot(what, out, *files):
    return Call(("plot", "--what", what, "-o", out, *files), written=out)


def of_golden(name, text):
    """Of a trace that is read: all that one trace can be asked."""
    base = name[:-len(".txt")]
    for more in [(), *(("--by", by) for by in BY), *SWITCHES]:
        yield f"report {name} {' '.join(more)}", wide("report", *more, name)
    yield f"report {name} --json", [Call(("report", "--json", *more, name)) for more in (
        (), ("--bounds", "--compensate", "--what-if", "--by", "grain"), ("--burden", "50ns"))]
    if re.search(rb"^path \d", text, re.M):
        yield f"report {name} --callpaths", [Call(("report", *more, "--callpaths", name)) for more in (
            ("--by", "path"), ("--json",), ("--folded", "work"))]
    yield f"report {name} --csv", [Call(("report", "--csv", "--by", by, name)) for by in BY]
    yield f"report {name} --folded", [Call(("report", "--folded", what, name)) for what in FOLDED]
    for form in FORMATS:
        out = f"{base}.{form}.out"
        yield f"export {name} --to {form}", [Call(("export", "--to", form, "-o", out, name), written=out)]
    yield f"plot {name}", [plot(what, f"{base}.{what}.csv", name) for what in PICTURES]
    yield f"dump {name}", [Call(("dump", name))]
    yield f"info {name}", [Call(("load", "-o", f"{base}.tpt"), given=name), Call(("info", f"{base}.tpt"))]
    yield f"simulate {name}", both("simulate", "-P", "1,2,4", name)
    kind = re.search(r"^site \d+ .*?name=(\S+)", text.decode("utf-8", "replace"), re.M)
    if kind:
        changes = (f"--split={kind[1]}:2", f"--speed={kind[1]}=2", "--untied", "--cost=all=0")
        for more in (changes, (f"--curve={kind[1]}",), ("--fewest-changes", "-P", "4")):
            yield f"simulate {name} {' '.join(more)}", both("simulate", *more, name)


def of_pairs(names):
    """Each run beside each that follows it; of some all widths."""
    for number, a in enumerate(names):
        others = names[number + 1:]
        for form in ("--json", "--csv", "--top=10"):
            yield f"diff {a} with all {form}", [Call(("diff", form, a, b)) for b in others]
        yield f"plot {a} --what losses", [plot("losses", f"{a}.{n}.csv", a, b) for n, b in enumerate(others[:5])]
        for by in ("kind", "site", "path"):
            yield f"diff {a} --by {by}", list(itertools.chain(*(wide("diff", "--by", by, a, b) for b in others[:2])))


def of_several():
    sizes, workers = [f"size.{n}.txt" for n in SIZES], [f"workers.{p}.txt" for p in WORKERS]
    ranks = [f"rank.{r}.txt" for r in range(3)]
    for files in (ranks, workers, sizes):
        yield f"report {' '.join(files)}", [call for more in ((), ("--together",), ("--each", "--together"))
                                            for call in wide("report", *more, *files)]
        for form in ("--json", "--csv"):
            yield f"report {form} {' '.join(files)}", [Call(("report", "--together", form, *files))]
    for form in (("--json",), ("--csv",), ("--threshold=1",)):
        yield f"diff of workers {' '.join(form)}", wide("diff", *form, *workers)
        yield f"diff of sizes {' '.join(form)}", wide("diff", *form, ",".join(sizes[:3]), sizes[4])
    yield "log of sizes", both("log", *sizes, *sizes[:2])
    yield "log of causes", both("log", *(f"planted.{name}.txt" for name in ("serial_none", "serial_middle", "lock")))
    for at in ("n=128", "n=100,p=1", "n=10000"):
        yield f"predict --at {at}", both("predict", "--at", at, *sizes)
    yield "report --predict-from", wide("report", "--bounds", "--predict-from", ",".join(sizes), sizes[4])
    yield "plot --what speedup", [plot("speedup", "many.csv", *workers)]
    yield "simulate of many", both("simulate", *workers)


def of_words(commands, causes):
    """What is said without a trace."""
    for command in commands:
        yield f"{command} --help", wide(command, "--help")
    yield "--help", wide("--help")
    for cause in causes:
        yield f"report --explain {cause}", wide("report", "--explain", cause)
    for shell in ("bash", "zsh", "fish"):
        yield f"completion {shell}", [Call(("completion", shell))]


def outputs(files, commands, causes):
    """(name, calls) of all that is frozen; the text files of all traces are there."""
    golden = [name for name in sorted(files) if name.count(".") == 1]
    for name in golden:
        yield from of_golden(name, files[name])
    yield from of_pairs(golden)
    for name in sorted(set(files) - set(golden)):
        if name.startswith("planted."):
            yield f"report {name}", [*wide("report", name), *(Call(("report", *more, name)) for more in PLANTED)]
        elif name.startswith("bad."):
            yield f"refused {name}", [Call((command, name)) for command in ("report", "dump", "simulate")]
    yield from of_several()
    yield from of_words(commands, causes)
