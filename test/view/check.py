#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - pages of traces with known answers: what they hold, and how they behave in a browser.

Node and npm are needed for the test alone.  Where one of them, or Chromium, is not there, that part is left out aloud.
"""
import argparse
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "golden", "findings"))
sys.path.insert(0, os.path.join(HERE, "..", "predict"))
from cases import CASES  # noqa: E402
import job  # noqa: E402
from npm import install, node_version  # noqa: E402
from small import levels  # noqa: E402
CHROMIUM = ("/usr/bin/chromium", "/usr/bin/chromium-browser")
FIREFOX = ("/usr/bin/firefox-esr", "/usr/bin/firefox")
NODE_LEAST = 18  # has DecompressionStream
SIDES = {"sides_two": ("planted_lock", "planted_tail"), "sides_three": ("fib3", "hostile", "planted_tail"), "sides_same": ("fib3", "fib3"), "sides_queued": ("queued", "fib3")}
JOBS = {"job_few": {"n": 4, "workers": 2}, "job_phases": {"n": 3, "workers": 2, "phases": True},
        "job_hosts": {"n": 6, "workers": 1, "hosts": 2}, "job_many": {"n": 100, "workers": 1}}
HOSTILE = ("<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "\u202egnp.exe\u202c", "red\x1b[31m", "a&quot;b",
           "\u0645\u0647\u0645\u0629", "x" * 4000)


def strict_about_modules():
    """Debian 12's node takes a .js file for a module only where package.json says so; newer ones look into it, unless told not to."""
    flag = "--no-experimental-detect-module"
    known = subprocess.run(["node", flag, "-e", ""], capture_output=True, check=False).returncode == 0
    return {"NODE_OPTIONS": flag} if known else {}


def quoted(name):
    """As a word of the text form: what is not plain as %XX."""
    return "".join(c if c.isalnum() else "".join(f"%{byte:02x}" for byte in c.encode()) for c in name)


def hostile_text():
    """Tasks whose names are markup, run from right to left, or end with ESC."""
    lines = ["tptrace text 2", "clock ns", "runtime 0 name=x version=1 workers=2"]
    lines += [f"site {i} runtime=0 name={quoted(name)} file={quoted(name[:60])}.c line={i}" for i, name in enumerate(HOSTILE, 1)]
    lines.append("0 w0 root 0.1")
    ns = 10
    for i in range(1, len(HOSTILE) + 1):
        lines += [f"{ns} w0 create 0.{i + 1} site={i}", f"{ns + 5} w0 resume 0.1"]
        ns += 20
    lines.append(f"{ns} w0 wait children site=1")
    for i in range(1, len(HOSTILE) + 1):
        lines += [f"{ns + 5} w1 begin 0.{i + 1}", f"{ns + 1000} w1 end"]
        ns += 1010
    return "\n".join(lines + [f"{ns} w0 resume 0.1", f"{ns + 10} w0 end"]) + "\n"


def many_text(n):
    """A task on each of n workers, one behind the other."""
    lines = ["tptrace text 2", "clock ns", f"runtime 0 name=x version=1 workers={n}", "site 1 runtime=0 name=f file=f.c line=1", "0 w0 root 0.1"]
    for i in range(1, n):
        lines += [f"{100 * i} w0 create 0.{i + 1} site=1", f"{100 * i + 10} w0 resume 0.1"]
    lines.append(f"{100 * n} w0 wait children site=1")
    events = [(100 * i + 50, f"w{i} begin 0.{i + 1}") for i in range(1, n)] + [(100 * i + 70000, f"w{i} end") for i in range(1, n)]
    lines += [f"{ns} {event}" for ns, event in sorted(events)]
    return "\n".join(lines + [f"{200 * n + 70000} w0 resume 0.1", f"{200 * n + 70100} w0 end"]) + "\n"


def losses_text(n):
    """Each worker's ring was full for a while before it began its task; the last task never began."""
    lines = many_text(n).splitlines()
    for i in range(1, n):
        at = lines.index(f"{100 * i + 50} w{i} begin 0.{i + 1}")
        lines[at:at] = [f"- w{i} lost 7", f"- w{i} since {100 * i + 20}", f"- w{i} until {100 * i + 30}"]
    lines = [line for line in lines if not line.endswith((f" begin 0.{n}", f" w{n - 1} end"))]
    return "\n".join(lines) + "\n"


def two_files_text(n, most, one):
    """The same; the third task is of a site of its own."""
    return many_text(n).replace("site 1", f"site 2 runtime=0 name=g file={one}\nsite 1").replace("0.3 site=1", "0.3 site=2").replace("f.c line=1", most)


def long_text(n):
    """A worker that creates n tasks, and another one that runs them, each a little later and of another length."""
    lines = ["tptrace text 2", "clock ns", "runtime 0 name=x version=1 workers=2", "site 1 runtime=0 name=f file=f.c line=1", "0 w0 root 0.1"]
    events = [(100 * i, f"w0 create 0.{i + 1} site=1") for i in range(1, n + 1)] + [(100 * i + 10, "w0 resume 0.1") for i in range(1, n + 1)]
    events += [(100 * i + 30, f"w1 begin 0.{i + 1}") for i in range(1, n + 1)] + [(100 * i + 50 + i % 60, "w1 end") for i in range(1, n + 1)]
    lines += [f"{ns} {event}" for ns, event in sorted(events)]
    return "\n".join(lines + [f"{100 * n + 90} w0 wait children site=1", f"{100 * n + 200} w0 resume 0.1", f"{100 * n + 300} w0 end"]) + "\n"


def queued_text(n):
    """All n tasks are there before another worker begins the first."""
    lines = ["tptrace text 2", "clock ns", "runtime 0 name=x version=1 workers=2", "site 1 runtime=0 name=f file=f.c line=1", "0 w0 root 0.1"]
    for i in range(1, n + 1):
        lines += [f"{10 * i} w0 create 0.{i + 1} site=1", f"{10 * i + 5} w0 resume 0.1"]
    lines.append(f"{10 * n + 10} w0 wait children site=1")
    for i in range(1, n + 1):
        lines += [f"{10 * (n + i) + 11} w1 begin 0.{i + 1}", f"{10 * (n + i) + 20} w1 end"]
    return "\n".join(lines + [f"{20 * n + 30} w0 resume 0.1", f"{20 * n + 40} w0 end"]) + "\n"


def team_text(n, long):
    """A parallel region of n workers, of which one has nearly all work."""
    lines = ["tptrace text 2", "clock ns", f"runtime 0 name=libgomp version=x workers={n}", "site 1 name=r1", "0 w0 root 0.1", "10 w0 fork 0.2 site=1 team"]
    lines += [f"{10 + i} w{i} member {i}.{1 if i else 3} of 0.2" for i in range(n)]
    lines += [f"{ns} w{i} end" for ns, i in sorted((100000 if i == long else 200 + i, i) for i in range(n))]
    return "\n".join(lines + ["100010 w0 resume 0.1", "100020 w0 end"]) + "\n"


def paused_text(n):
    """Short tasks one behind the other, the two around the only long pause as short as any."""
    lines = ["tptrace text 2", "clock ns", "runtime 0 name=x version=1 workers=2", "site 1 runtime=0 name=f file=f.c line=1", "0 w0 root 0.1"]
    for i in range(1, n + 1):
        lines += [f"{10 * i} w0 create 0.{i + 1} site=1", f"{10 * i + 5} w0 resume 0.1"]
    ns = 10 * n + 10
    lines.append(f"{ns} w0 wait children site=1")
    for i in range(1, n + 1):
        length = 20 if i in (n // 2, n // 2 + 1) else 40 + i % 50
        lines += [f"{ns + 5} w1 begin 0.{i + 1}", f"{ns + 5 + length} w1 end"]
        ns += 10 + length + (5000 if i == n // 2 else 0)
    return "\n".join(lines + [f"{ns} w0 resume 0.1", f"{ns + 10} w0 end"]) + "\n"


def chain_text(n):
    """Tasks of all lengths on a worker, each of which waits for the one before."""
    lines = ["tptrace text 2", "clock ns", "runtime 0 name=x version=1 workers=2", "site 1 runtime=0 name=f file=f.c line=1", "0 w0 root 0.1"]
    for i in range(1, n + 1):
        lines += [f"{10 * i} w0 create 0.{i + 1} site=1", "- w0 depend out 0x10", f"{10 * i + 5} w0 resume 0.1"]
    ns = 10 * n + 10
    lines.append(f"{ns} w0 wait children site=1")
    for i in range(1, n + 1):
        lines += [f"{ns + 5} w1 begin 0.{i + 1}", f"{ns + 45 + i * 7 % 50} w1 end"]
        ns += 45 + i * 7 % 50
    return "\n".join(lines + [f"{ns} w0 resume 0.1", f"{ns + 10} w0 end"]) + "\n"


def tree_text(depth):
    """A binary tree of tasks on a worker; leaves run longest."""
    lines = ["tptrace text 2", "clock ns", "runtime 0 name=x version=1 workers=1", "site 1 runtime=0 name=f file=f.c line=1", "0 w0 root 0.1"]
    now, last = 0, 1

    def run(task, left):
        nonlocal now, last
        children = range(last + 1, last + 3 if left else last + 1)
        last += len(children)
        for child in children:
            lines.extend((f"{now + 1} w0 create 0.{child} site=1", f"{now + 2} w0 resume 0.{task}"))
            now += 2
        if children:
            lines.append(f"{now + 1} w0 wait children site=1")
        for child in children:
            lines.append(f"{now + 2} w0 begin 0.{child}")
            now += 2
            run(child, left - 1)
            lines.append(f"{now} w0 end")
        if children:
            lines.append(f"{now + 1} w0 resume 0.{task}")
        now += 2 if children else 100

    run(1, depth)
    return "\n".join(lines + [f"{now} w0 end"]) + "\n"


FEW = {"partial": ["--strands", "250"], "paused": ["--strands", "100"], "tree": ["--strands", "600"]}


def write_page(tptrace, folder, name, path):
    """Whether there is one; a trace that gets none is refused in one line."""
    page = os.path.join(folder, name + ".html")
    options = FEW.get(name, ["--source", folder] if name in ("sources", "far") else [])
    done = subprocess.run([tptrace, "view", *options, "-o", page, path], capture_output=True, text=True, check=False)
    if os.path.exists(page):
        return True
    if done.returncode != 1 or done.stderr.count("\n") != 1:
        raise SystemExit(f"{path}: no page, status {done.returncode}: {done.stderr}")
    return False


def write_pages(tptrace, folder):
    """A page of each trace; its name and path, a line each in `traces`."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    traces = {os.path.basename(path)[:-4]: path for path in sorted(glob.glob(os.path.join(HERE, "../golden/report/*.txt")))}
    texts = {"hostile": hostile_text(), "thousand": many_text(1000)}
    texts["partial"] = many_text(200)
    texts["losses"] = losses_text(9)
    texts["paused"] = paused_text(400)
    texts["team"] = team_text(64, 37)
    texts["tree"] = tree_text(8)
    texts["chain"] = chain_text(300)
    texts["long"] = long_text(2000)
    texts["queued"] = queued_text(15000)
    texts["alone"] = many_text(1).replace("workers=1", "workers=3")
    texts["sources"] = two_files_text(3, "first.c line=1", "second.c line=2")
    texts["far"] = two_files_text(4, "far.c line=300", "a.c line=2")
    for name, n in (("first.c", 2), ("second.c", 2), ("a.c", 2), ("far.c", 400)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.writelines(f"int line_{i};\n" for i in range(1, n + 1))
    texts |= {"planted_" + name: make()[0].text() for name, make in CASES.items()}
    for name, text in texts.items():
        traces[name] = os.path.join(folder, name + ".txt")
        with open(traces[name], "w", encoding="utf-8") as file:
            file.write(text)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = pool.map(lambda each: write_page(tptrace, folder, *each), traces.items())
        there = [each for each, is_there in zip(traces.items(), made) if is_there]
    with open(os.path.join(folder, "traces"), "w", encoding="utf-8") as file:
        file.writelines(f"{name}\t{path}\n" for name, path in there)
    with open(os.path.join(folder, "sides"), "w", encoding="utf-8") as file:
        for name, of in SIDES.items():
            paths = [traces[each] for each in of]
            subprocess.run([tptrace, "view", "-o", os.path.join(folder, name + ".html"), *paths], stdout=subprocess.DEVNULL, check=True)
            file.write("\t".join((name, *paths)) + "\n")
    write_curves(tptrace, folder)
    write_jobs(tptrace, folder)


def write_jobs(tptrace, folder):
    """A page of each job: its name and the folder of its traces; and the source that their findings name."""
    sources = os.path.join(folder, "job_sources")
    os.makedirs(sources, exist_ok=True)
    with open(os.path.join(sources, "late.c"), "w", encoding="utf-8") as file:
        file.writelines(f"int line_{n};\n" for n in range(1, 13))
    with open(os.path.join(folder, "jobs"), "w", encoding="utf-8") as file:
        for name, wanted in JOBS.items():
            job.write(os.path.join(folder, name), **wanted)
            subprocess.run([tptrace, "view", "--source", sources, os.path.join(folder, name) + "/"], stdout=subprocess.DEVNULL,
                           check=True)
            file.write(f"{name}\n")


def write_curves(tptrace, folder):
    """A page whose speed-ups are measured, simulated and predicted; and what asks for them."""
    for n in (16, 32, 64, 128):
        for workers in (1, 2):
            with open(os.path.join(folder, f"curves_{n}_{workers}.tpt"), "w", encoding="utf-8") as file:
                file.write(levels([n], workers, f"n={n}"))
    runs = sorted(glob.glob(os.path.join(folder, "curves_*.tpt")))
    words = ["--simulate", "1,2,..,16", "--predict-from", ",".join(runs), os.path.join(folder, "curves_128_2.tpt")]
    subprocess.run([tptrace, "view", "-o", os.path.join(folder, "curves.html"), *words], stdout=subprocess.DEVNULL, check=True)
    with open(os.path.join(folder, "curves"), "w", encoding="utf-8") as file:
        file.write("\t".join(words))


def install_browser_driver(folder, browsers=CHROMIUM):
    if not any(map(os.path.exists, browsers)):
        return f"{os.path.basename(browsers[0])} is not there"
    return install(folder)


def test_files(files, env, build):
    """Beside each other, one a CPU, as each waits for its browser half of the time.  The status."""
    def test(file):
        return subprocess.run(["node", "--test", "--test-reporter=dot", file], env=env, cwd=build, check=False,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, done in zip(files, pool.map(test, files)):
            if done.returncode:
                print(f"{done.stdout}\ncheck-view: {os.path.relpath(file, HERE)} failed", flush=True)
                failed += 1
    print(f"view: {len(files) - failed} files passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", help="unit, data, browser or firefox")
    parser.add_argument("--bench", nargs="+", metavar="PAGE", help="only measure these pages")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    pages, packages = os.path.join(build, "view", "pages"), os.path.join(build, "view", "packages")
    if node_version() < NODE_LEAST:
        print(f"skip check-view: no node of version {NODE_LEAST} or newer")
        return 0
    env = {**os.environ, **strict_about_modules(), "TPTRACE": os.path.join(build, "tptrace"), "PACKAGES": packages}
    if args.bench:
        missing = install_browser_driver(packages)
        if missing:
            print(f"skip bench-view: {missing}")
            return 0
        return subprocess.run(["node", os.path.join(HERE, "bench.mjs"), *args.bench], env=env, check=False).returncode
    write_pages(env["TPTRACE"], pages)
    env["PAGES"] = pages
    parts = {"browser": glob.glob(os.path.join(HERE, "*.test.mjs")),
             "unit": glob.glob(os.path.join(HERE, "unit", "*.test.mjs"))}
    parts["data"] = [os.path.join(HERE, name + ".test.mjs") for name in ("data", "left")]
    parts["browser"] = [file for file in parts["browser"] if file not in parts["data"]]
    if args.only == "firefox":
        missing = install_browser_driver(packages, FIREFOX)
        if missing:
            print(f"skip check-firefox: {missing}")
            return 0
        env["FIREFOX"] = next(filter(os.path.exists, FIREFOX))
        return test_files(sorted(parts["browser"], key=os.path.getsize, reverse=True), env, build)
    missing = install_browser_driver(packages) if args.only in (None, "browser") else ""
    if missing:
        print(f"skip check-view in a browser: {missing}")
        del parts["browser"]
    files = [file for part, those in parts.items() if args.only in (None, part) for file in those]
    return test_files(sorted(files, key=os.path.getsize, reverse=True), env, build)


sys.exit(main())
