# SPDX-License-Identifier: MIT
"""traces.py - traces that are made for the check: hostile names, many workers, no tasks, out of turn."""
import random
import urllib.parse

NAMES = ['say "hi"', "it's", "two\nlines", "esc\x1b[31mred", "\u202eltr\u202c", "<script>alert(1)</script>", "a&b;c,d",
         "back\\slash", "tab\there", "%s%n", "{{}}", "]]>", "\u0085next", "${HOME}", "=1+1", "Ωμέγα", "",
         "; DROP TABLE x"]
BAD = b"bad\xff\xfeutf8"


def escape(name):
    return urllib.parse.quote(name, safe="")


def hostile():
    """A task of each name; one of them is no UTF-8.  The names that a reader should see come second."""
    names = [name for name in NAMES if name]
    lines = ["tptrace text 2", "clock ns", "runtime 0 name=libgomp version=x workers=1",
             "meta command " + escape('./app "<b>" \x1b[2J')]
    lines += [f"site {i + 1} name={escape(name)} file={escape(name)}.c line={i + 1}" for i, name in enumerate(names)]
    lines.append(f"site {len(names) + 1} name=" + "".join(f"%{byte:02X}" for byte in BAD))
    lines.append("0 w0 root 0.1")
    ns = 0
    for i in range(len(names) + 1):
        lines += [f"{ns + 10} w0 create 0.{i + 2} site={i + 1}", f"{ns + 12} w0 resume 0.1",
                  f"{ns + 20} w0 wait children site=1", f"{ns + 21} w0 begin 0.{i + 2}", f"{ns + 30 + i} w0 end",
                  f"{ns + 60} w0 resume 0.1"]
        ns += 60
    lines.append(f"{ns + 10} w0 end")
    return "\n".join(lines) + "\n", names + [BAD.decode("utf-8", errors="replace")]


def many_workers(n):
    """A region of n workers; each member has two strands."""
    lines = ["tptrace text 2", "clock ns", f"runtime 0 name=libgomp version=x workers={n}", "site 1 name=member",
             "0 w0 root 0.1", "10 w0 fork 0.2 site=1 team"]
    lines += [f"{11 + w} w{w} member {w}.{3 if w == 0 else 1} of 0.2" for w in range(n)]
    lines += [f"{2000 + w} w{w} wait team site=1" for w in range(n)]
    lines += [f"{4000 + w} w{w} resume {w}.{3 if w == 0 else 1}" for w in range(n)]
    lines += [f"{6000 + w} w{w} end" for w in range(n)]
    lines += ["9000 w0 resume 0.1", "9010 w0 end"]
    return "\n".join(lines) + "\n"


def nothing():
    """A program that called the runtime, and created no task."""
    return "tptrace text 2\nclock ns\nruntime 0 name=libgomp version=x workers=1\n0 w0 root 0.1\n10 w0 end\n"


def out_of_turn(seed):
    """Tasks that yield to each other on two workers, and move: slices that do not nest by themselves."""
    chance = random.Random(seed)
    lines = ["tptrace text 2", "clock ns", "runtime 0 name=qthreads version=x workers=2", "site 1 name=f",
             "site 2 name=g", "0 w0 root 0.1"]
    ns, n = 10, 8
    for i in range(n):
        lines += [f"{ns} w0 create 0.{i + 2} site={i % 2 + 1}", f"{ns + 1} w0 resume 0.1"]
        ns += 5
    lines.append(f"{ns} w0 wait children site=1")
    left = {f"0.{i + 2}": 3 for i in range(n)}  # strands to run
    begun, busy = set(), [None, None]
    while left or any(busy):
        worker = chance.randrange(2)
        ns += chance.randrange(1, 4)
        if busy[worker]:
            task = busy[worker]
            busy[worker] = None
            left[task] -= 1
            lines.append(f"{ns} w{worker} {'yield site=1' if left[task] else 'end'}")
            if not left[task]:
                del left[task]
        else:
            waiting = sorted(task for task in left if task not in busy)
            if waiting:
                task = busy[worker] = chance.choice(waiting)
                lines.append(f"{ns} w{worker} {'resume' if task in begun else 'begin'} {task}")
                begun.add(task)
    lines += [f"{ns + 5} w0 resume 0.1", f"{ns + 9} w0 end"]
    return "\n".join(lines) + "\n"
