#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""skips.py - scripts/skips: what CI may skip; scripts/tries keeps what is said; and all say it in one form."""
import argparse
import os
import re
import subprocess
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()

LOG = """== check-this
skip this: no compiler
    skip that, -O2: none (here)
skip this: no compiler
3 passed, 0 failed, 2 skipped
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] test_it
ok 7 - a browser # SKIP
"""
ALL = "# a list\n\nthis: no \\w+\tfor this\nthat, -O2: none \\(here\\)  for that\ntest_it  it\nok 7 .*\tbrowser\n"
#       list, what is set, status, what is said
LISTS = ((ALL, {"CI": ""}, 0, "4 skipped\n"),
         (ALL + "more: not skipped  it is elsewhere\n", {"CI": "1"}, 0, "4 skipped\n"),
         (ALL.replace("this: no \\w+", "this: no"), {}, 0, "4 skipped; skipped, and not on LIST:\n    this: no compiler\n"),
         (ALL.replace("this: no \\w+", "this: no"), {"CI": "1"}, 1, "4 skipped; skipped, and not on LIST:\n    this: no compiler\n"),
         (ALL.replace("test_it", "test"), {"SKIPS": "strict"}, 1, "4 skipped; skipped, and not on LIST:\n    test_it\n"),
         (ALL + "(  \n", {}, 1, ""), (ALL + "this\n", {}, 1, ""), (ALL + "(this  why\n", {}, 1, ""))


def lists(folder):
    log, path = f"{folder}/log", f"{folder}/list"
    for text, env, status, said in LISTS:
        for name, content in ((log, LOG), (path, text)):
            with open(name, "w", encoding="utf-8") as file:
                file.write(content)
        done = subprocess.run([f"{ROOT}/scripts/skips", "--log", log, path], capture_output=True, text=True, check=False,
                              env={name: value for name, value in os.environ.items() if name not in ("CI", "SKIPS")} | env)
        assert (done.returncode, done.stdout) == (status, said.replace("LIST", path)), (text, env, done)
        assert (said == "") == (f"{path}:" in done.stderr), done
    done = subprocess.run([f"{ROOT}/scripts/skips", "--log", "/dev/null", f"{ROOT}/test/skips"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "0 skipped\n"), done


def kept(folder):
    """All is seen and kept, the status stays, and who is left behind holds nothing up."""
    for command, status, said in (("echo one; echo two >&2; exit 7", 7, "one\ntwo\n"), ("echo ${SAID-unset}", 0, "unset\n"),
                                  (f"{ROOT}/scripts/tries 1 {folder}/second echo once", 0, "once\n"),
                                  ("sleep 100 & echo $! >&2; echo $! >pid; exit 3", 3, None)):
        with open(f"{folder}/log", "w", encoding="utf-8") as file:
            file.write("before\n")
        began = time.monotonic()
        done = subprocess.run([f"{ROOT}/scripts/tries", "1", f"{folder}/second", "sh", "-c", command], stdout=subprocess.PIPE, text=True,
                              check=False, cwd=folder, env={**os.environ, "SAID": f"{folder}/log"}, timeout=60)
        assert done.returncode == status, done
        with open(f"{folder}/log", encoding="utf-8") as file:
            log = file.read()
        if said is None:
            with open(f"{folder}/pid", encoding="utf-8") as file:
                pid = file.read()
            subprocess.run(["kill", pid.strip()], check=True)  # so it was still there
            assert time.monotonic() - began >= 5 and done.stdout.startswith(f"{pid}tries: left a process behind"), done
            said = pid
        else:
            assert re.fullmatch(re.escape(said) + r"tries: \d+ s\n", done.stdout), done
        assert log == f"before\n{said}", log


def forms():
    """What prints that it skips says `skip WHAT: WHY`."""
    other = re.compile(r"""(print|echo|say|console\.log)\b.*(\bSKIP|skipped[,:]|: skip\b|["' ]left out\b|["']skip:)""")
    for folder, folders, names in os.walk(f"{ROOT}/test"):
        folders[:] = [name for name in folders if name not in ("node_modules", "__pycache__")]
        for name in names:
            path = os.path.join(folder, name)
            if not name.endswith((".py", ".sh", ".mk", ".mjs")) or os.path.samefile(path, __file__):
                continue
            with open(path, encoding="utf-8") as file:
                for n, line in enumerate(file, 1):
                    assert not other.search(line), f"{path}:{n}: another form than `skip WHAT: WHY`: {line.strip()}"


with tempfile.TemporaryDirectory() as top:
    lists(top)
    kept(top)
forms()
print("skips: ok")
