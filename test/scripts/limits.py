#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""limits.py - scripts/limits lets a small tree pass, sees each kind of growth in it, and never raises a limit."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")

LINE = "int a;\n"
COMMENT = "/* why */\n"
TREE = {
    "preload/a.c": COMMENT * 10 + LINE * 90,
    "preload/a.h": LINE * 20,
    "preload/b.c": "static int look(void)\n{\n}\n",
    "tools/cmd/c.c": "static int look(void)\n{\n}\n",
    "tools/dag/d.c": "static int look(void)\n{\n}\n",
    "tools/view/page/e.js": "1;\n" * 10,
    "test/kill/f.py": "pass\n" * 10,
    "tools/man/t.1": ".PP\n" + "word " * 29 + "end.\nNext:\n.nf\n" + "word " * 31 + "\n.fi\n",
}
LIMITS = """\
# a comment
lines.c preload 123
lines.js tools 10
lines.py test 10
file.c preload+tools 200
file.c preload/big.c 250 goal 200
file.py test 60
file.js tools 60
function.c preload+tools 12 goal 10
function.py test 5
function.js tools 5
headers preload 0
wide.c preload+tools 0
wide.js tools 0
wide.py test 0
comments preload 9
names preload+tools 0
stems preload+tools 0
sentences tools/man 0
room preload 123
room tools/cmd 3
room tools/dag 3
test test/kill 10
"""
OF_BIG = "file.c preload/big.c 250 goal 200\n"

# what grows: files that are other, or new, and words of what is said
GROWS = {
    "lines of a folder": ({"preload/a.c": COMMENT * 10 + LINE * 95}, "lines.c of preload: 128, limit 123"),
    "a room": ({"tools/cmd/c.c": LINE * 4}, "room of tools/cmd: 4, limit 3"),
    "Python": ({"test/kill/f.py": "pass\n" * 11}, "lines.py of test: 11"),
    "a folder of test, by a script": ({"test/kill/g": "#!/usr/bin/env python3\n"}, "test of test/kill: 11, limit 10"),
    "JavaScript": ({"tools/view/page/g.js": "1;\n"}, "lines.js of tools: 11"),
    "a file": ({"preload/c.c": COMMENT * 20 + LINE * 181}, "file.c of preload+tools: 201, limit 200: preload/c.c"),
    "a file with its own limit": ({"preload/big.c": COMMENT * 30 + LINE * 221}, "preload/big.c: 251, limit 250"),
    "a function of C": ({"tools/dag/d.c": "int one(void)\n{\n" + "\ta++;\n" * 10 + "}\n"},
                        "function.c of preload+tools: 13, limit 12: tools/dag/d.c:1"),
    "a function of Python": ({"test/kill/f.py": "def one():\n" + "    pass\n" * 5},
                             "function.py of test: 6, limit 5: test/kill/f.py:1"),
    "a function of JavaScript": ({"tools/view/page/e.js": "a = {\n    mount() {\n" + "        b;\n" * 4 + "    },\n};\n"},
                                 "function.js of tools: 6, limit 5: tools/view/page/e.js:2"),
    "a header": ({"preload/a.h": LINE * 151}, "headers of preload: 1, limit 0: preload/a.h 151"),
    "a line of C": ({"preload/a.h": "\t" * 12 + "int a;\n"}, "wide.c of preload+tools: 1, limit 0: preload/a.h 1"),
    "a line of JavaScript": ({"tools/view/page/e.js": "1" * 101 + "\n"}, "wide.js of tools: 1"),
    "a line of Python": ({"test/kill/f.py": "1" * 121 + "\n"}, "wide.py of test: 1"),
    "too few comments": ({"preload/a.c": COMMENT * 8 + LINE * 92}, "comments of preload: 7.7, less than 9"),
    "a name in a fourth file": ({"tools/dag/g.c": "static int look(void)\n{\n}\n"},
                                "names of preload+tools: 1, limit 0: look 4"),
    "a stem in two folders": ({"tools/dag/a.h": LINE}, "stems of preload+tools: 1, limit 0: a"),
    "a sentence": ({"tools/man/t.1": ".B word\n" + "word " * 29 + "end.\n"}, "sentences of tools/man: 1"),
    "a room without a limit": ({"tools/base/g.c": LINE}, "room        tools/base"),
    "a folder of test without a limit": ({"test/new/g.py": "1\n"}, "test        test/new"),
    "a room that is gone": ({"tools/cmd/c.c": None}, "tools/cmd: is gone"),
}


def make(root, change):
    """The small tree with a change, and its limits."""
    for path, text in {**TREE, **change}.items():
        if text is not None:
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as out:
                out.write(text)
    with open(os.path.join(root, "limits.txt"), "w", encoding="utf-8") as out:
        out.write(LIMITS if "preload/big.c" in change else LIMITS.replace(OF_BIG, ""))


def run(root, *more):
    done = subprocess.run([os.path.join(TOP, "scripts", "limits"), "--root", root,
                           "--limits", os.path.join(root, "limits.txt"), *more],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def limits_of(root):
    with open(os.path.join(root, "limits.txt"), encoding="utf-8") as file:
        return [" ".join(line.split()) for line in file]


def growth(change):
    with tempfile.TemporaryDirectory() as root:
        make(root, change)
        return run(root)


def edit(root, old, new):
    path = os.path.join(root, "limits.txt")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


def slack():
    """It allows lines and shares of what grows by moving, but no long file, and ends with --tighten."""
    change = {"preload/a.c": COMMENT * 10 + LINE * 95}
    with tempfile.TemporaryDirectory() as root:
        make(root, change)
        edit(root, "# a comment\n", "slack 3 5\n")
        yield "5 lines more", run(root) == (0, "")
        edit(root, "slack 3 5", "slack 3 4")
        yield "4 lines more", run(root)[0] == 1
        edit(root, "slack 3 4", "slack 3 5")
        status, _ = run(root, "--tighten")
        yield "without slack", status == 1 and not any(line.startswith("slack") for line in limits_of(root))
        yield "not raised", "room preload 123" in limits_of(root)


def tighten():
    with tempfile.TemporaryDirectory() as root:
        make(root, {"preload/a.c": COMMENT * 11 + LINE * 20, "tools/cmd/c.c": None, "tools/base/g.c": LINE * 2,
                    "preload/big.c": COMMENT * 20 + LINE * 180})
        edit(root, "room preload 123", "room preload 1000")
        edit(root, "names preload+tools 0", "names preload+tools 7 goal 3")
        status, told = run(root, "--tighten")
        lines = limits_of(root)
        yield "status", status == 1 and told.count("\n") == 2 and "lines.c of preload: 254, limit 123" in told
        yield "lowered", "room preload 254" in lines and "names preload+tools 0 goal 3" in lines
        yield "a floor rises", "comments preload 13.2" in lines
        yield "a function's stops at the goal", "function.c preload+tools 10 goal 10" in lines
        yield "a file's stands", "file.c preload+tools 200" in lines
        yield "a file that is as others", not any("big.c" in line for line in lines)
        yield "a room that is gone, and a new one", "room tools/cmd 3" not in lines and "room tools/base 2" in lines
        yield "comments stay", lines[0] == "# a comment"
        run(root, "--tighten")
        yield "again", limits_of(root) == lines


def main():
    results = {"as it is": growth({}) == (0, "")}
    for name, (change, words) in GROWS.items():
        status, told = growth(change)
        results[name] = status == 1 and words in told and "a commit of its own" in told
        if not results[name]:
            print(told, end="")
    results |= {f"slack: {name}": good for name, good in slack()}
    results |= {f"--tighten: {name}": good for name, good in tighten()}
    for name, good in results.items():
        if not good:
            print(f"limits: {name}: failed")
    print(f"limits: {sum(results.values())} passed, {len(results) - sum(results.values())} failed")
    return 0 if all(results.values()) else 1


sys.exit(main())
