#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""with_and_without.py - scripts/with-and-without reports what changes, and only that.

The programs are shell scripts that see by LD_PRELOAD whether they are traced; ctest is a fake.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "..", "scripts", "with-and-without")

# name: the script, the verdict on it, and words that the verdict must contain
PROGRAMS = {
    "same": ("echo one; echo two >&2; exit 3", "same", []),
    "status": ("[ -z \"$LD_PRELOAD\" ] || exit 3", "CHANGED", ["exit status", "- 0", "+ 3"]),
    "killed": ("[ -z \"$LD_PRELOAD\" ] || kill -SEGV $$", "CHANGED", ["+ killed by signal 11"]),
    "hangs": ("[ -z \"$LD_PRELOAD\" ] || sleep 60", "CHANGED", ["+ none within 2 s"]),
    "stdout": ("echo one; echo preload=$LD_PRELOAD | cut -c 1-9", "CHANGED",
               ["stdout:", "- preload=", "+ preload=/"]),
    "stderr": ("[ -n \"$LD_PRELOAD\" ] || echo gone >&2", "CHANGED", ["stderr:", "- gone"]),
    "own line": ("[ -z \"$LD_PRELOAD\" ] || echo tptrace: nothing >&2", "same", []),
    "order": ("a=one; b=two; [ -z \"$LD_PRELOAD\" ] || { a=two; b=one; }; echo $a; echo $b",
              "CHANGED", ["other order"]),
    "one number": ("[ -z \"$LD_PRELOAD\" ] && echo 41 || echo 42", "CHANGED", ["- 41", "+ 42"]),
    "restless": ("echo in $(date +%N) ns; echo file $(mktemp -u) of $$; echo two", "restless", []),
    "restless and changed": ("date +%N; echo so${LD_PRELOAD:+ not}", "CHANGED",
                             ["- so", "+ so not"]),
    "twice": ("date +%N; echo so; [ -z \"$LD_PRELOAD\" ] || echo so", "CHANGED", ["+ so"]),
    "restless numbers": ("for i in 1 2 3 4 5 6; do echo $(shuf -n 1 -i 1-9) left; done", "restless",
                         []),
    "now and then": ("n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; echo $((n / 2 % 2))",
                     "restless", []),
}


def failure(what, done):
    print(f"FAIL {what}: exit status {done.returncode}")
    for line in (done.stdout + done.stderr).splitlines():
        print(f"    {line}")
    return 1


class Check:
    def __init__(self, build, folder):
        self.tptrace, self.folder, self.n_failed = os.path.join(build, "tptrace"), folder, 0
        self.env = {k: v for k, v in os.environ.items()
                    if k != "LD_PRELOAD" and not k.startswith(("TPTRACE_", "MAKE"))}

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def expect(self, what, status, words, *args, unsaid=()):
        """Runs the script: its exit status, and what is in its output and what not."""
        command = [SCRIPT, "-v", "--timeout", "60", "--tptrace", self.tptrace, *args]
        done = subprocess.run(command, capture_output=True, text=True, env=self.env,
                              cwd=self.folder, timeout=300, check=False)
        said = done.stdout + done.stderr
        if (done.returncode != status or any(not re.search(w, said, re.M) for w in words)
                or any(re.search(w, said, re.M) for w in unsaid)):
            self.n_failed += failure(what, done)

    def programs(self):
        for name, (text, word, lines) in PROGRAMS.items():
            path = self.file(name.replace(" ", "_"), "#!/bin/sh\n" + text + "\n")
            words = [f"^{word} +/", *map(re.escape, lines)]
            quick = ["--timeout", "2", "--again", "0"] if name == "hangs" else []
            self.expect(name, word == "CHANGED", words, "--again", "3", *quick, "--", path)

    def files(self):
        path = self.file("files/writes",
                         "#!/bin/sh\ncd $(dirname $0)\necho ${LD_PRELOAD:+x} >out\ndate +%N >t\n")
        os.chdir(os.path.dirname(path))
        self.expect("files", 1, ["CHANGED", "file files/out"], "--files", "--", path,
                    unsaid=["file files/t:"])
        self.expect("files, unasked", 0, ["^same"], "--", path)

    def ctest(self):
        """Of what a fake lists: one that needs its environment and folder, and one disabled."""
        def one(name, *command, **properties):
            return {"name": name, "command": list(command),
                    "properties": [{"name": k, "value": v} for k, v in properties.items()]}

        sub = os.path.join(self.folder, "sub")
        os.makedirs(sub)
        tests = [one("steady", "sh", "-c", "test $A = 1 && test $B = x:y && test -e ../ctest",
                     ENVIRONMENT=["A=1", "B=x"], WORKING_DIRECTORY=sub,
                     ENVIRONMENT_MODIFICATION=["B=path_list_append:y"]),
                 one("fails either way", "false"),
                 one("turns", "sh", "-c", "test -z \"$LD_PRELOAD\""),
                 one("absent", "/there/is/no/such/program"),
                 one("off", "sh", "-c", "test -z \"$LD_PRELOAD\"", DISABLED=True),
                 {"name": "no command"}]
        listed = self.file("listed.json", json.dumps({"tests": tests}))
        self.file("ctest", f"#!/bin/sh\n[ \"$1\" = --show-only=json-v1 ] && cat {listed}\n")
        self.env["PATH"] = self.folder + os.pathsep + self.env["PATH"]
        self.expect("ctest", 1, ["^same +steady", "^same +fails", "^CHANGED +turns", "^FAILED +abs",
                                 "^4 tests: 2 the same .*, 1 changed, 1 could not be run"],
                    "-j", "2", "--ctest", self.folder, unsaid=["off$", "^. *no command"])
        self.expect("ctest -R -E", 0, ["^1 tests?"], "-R", "s", "-E", "turns|fails|absent",
                    "--ctest", self.folder)
        self.expect("ctest of nothing", 1, ["no such test"], "-R", "zzz", "--ctest", self.folder)

    def make_check(self):
        """Automake's results, one of which turns, and one log."""
        self.file("mc/Makefile", "check:\n"
                  "\t@for t in a b; do echo $$t $$LD_PRELOAD | cut -c 1-3 >$$t.log; "
                  "echo ':global-test-result: PASS' >$$t.trs; done; echo built\n"
                  "\t@[ -z \"$$LD_PRELOAD\" ] || echo ':global-test-result: FAIL' >b.trs\n")
        self.expect("make check", 1, ["result of b:", r"\+ FAIL", "log of a:", r"\+ a /"],
                    "--check", os.path.join(self.folder, "mc"), unsaid=["result of a:"])

    def traces(self):
        """Unreadable or endless output is reported and kept."""
        fake = self.file("tptrace", "#!/bin/sh\n"
                         "[ $1 = report ] && { echo tptrace: bad >&2; exit 1; }\n"
                         "eval out=\\${4%/*}; shift 5; echo x >$out/t.tpt; exec \"$@\"\n")
        kept = os.path.join(self.folder, "kept")
        self.expect("bad trace", 1, ["trace:", "t.tpt: report: tptrace: bad", "[1-9] traces read"],
                    "--tptrace", fake, "--keep", kept, "true")
        if not os.path.exists(os.path.join(kept, "t.tpt")):
            print("FAIL --keep: the trace is not there")
            self.n_failed += 1

    def calls(self):
        for what, args in (("nothing", []), ("no folder", ["--ctest", "/no/such"]),
                           ("no tptrace", ["--tptrace", "/no/such", "true"]),
                           ("no runs", ["--runs", "0", "true"]),
                           ("both", ["--ctest", self.folder, "--check", self.folder])):
            self.expect(f"wrong call: {what}", 2, ["usage: "], *args)
        self.expect("ignored", 0, ["^same"], "--ignore", "^preload=", "--",
                    os.path.join(self.folder, "stdout"))
        self.expect("bad expression", 2, ["usage: "], "--ignore", "(", "true")
        self.expect("no program", 1, ["FAILED"], "/no/such/program")
        self.expect("inside", 1, ["- preload=", r"\+ preload=/"], "--inside",
                    os.path.join(self.folder, "stdout"))


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--build", default="build", help="where `make` put everything (build)")
    args = p.parse_args()
    with tempfile.TemporaryDirectory(prefix="tptrace-scripts.") as folder:
        check = Check(os.path.abspath(args.build), folder)
        check.programs()
        check.files()
        check.make_check()
        check.traces()
        check.calls()
        check.ctest()
        os.chdir("/")
    print("with-and-without: " + (f"{check.n_failed} failed" if check.n_failed else "passed"))
    return 1 if check.n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
