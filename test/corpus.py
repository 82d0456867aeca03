#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""corpus.py [RUNTIME].. [-p PROGRAM].. - runs the programs of test/work/RUNTIME without and with the tracer; compares.

CORPUS=full takes all compilers and thread counts that make a difference, otherwise a few.  bash reads
test/work/RUNTIME/corpus.conf, which says how its programs are compiled and run, with the compilers $gcc, $older_gcc and
$clang, and clang's libomp in $libomp (test/lib/compilers):

    configs                 CC,-OPT,THREADS[,THREADS...] of each, blank-separated
    shim                    the file name of what is preloaded
    compile_flags CC        prints flags before the source
    link_flags CC           prints flags after it
    programs                the folders of the programs, if they are others
    environments THREADS CC prints a line of NAME=VALUE.. for each run on so many threads; $tmp is the run's folder
    fails_alone             skip: a run that fails untraced is the runtime's fault and shows nothing
    traits CC               prints words: a program that is not-on: one of them is skipped
    missing CC              says why nothing can be compiled, or nothing
    variant                 what to put before the name of the folder that is built in
    about                   prints a line for the summary: which runtime it was
    header                  what most programs include, compiled once for g++, as it takes longer than they do

BUILD is where shims and tptrace are.  The traced program must print the same, exit the same, and say at most one line
more on stderr; its trace must add up and hold as many explicit tasks as the program's last line, "tptrace-tasks N",
says, as many implicit ones as a line before it, "tptrace-members N", and as many edges as "tptrace-edges join=N
depend=N ..".  A program tells in comments what it needs:

    // needs: gcc12             gcc of at least that version, else it is skipped
    // needs: gcc11 clang       .. or any clang
    // env: NAME=VALUE ...      its environment
    // not-on: WORD ...         it cannot run there; corpus: here, but in a soak
    // status: 3                its exit status, 0 if it says none
    // expect: r["span_ns"] > 2e6   what must hold of the JSON report r, in Python
    // flags: -ldl ...          more for the compiler, after the source
    // lib: x.c                 x.so, which it is linked to
    // plugin: x.c              x.so, which it opens
    // plugin-gomq: x.c         gomq_x.so, linked to a renamed copy of libgomp
    // plugin-iomp5: x.c        iomp5_x.so, of clang, linked to a copy of its libomp with the name of Intel's
    // part-of: y.c             not a program
"""
import argparse
import concurrent.futures
import difflib
import glob
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "lib"))
import tracing  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
TPTRACE = f"{BUILD}/tptrace"
CLANG, LIBOMP = tracing.compilers()[2:]
FOREIGN = re.compile(r"(OMP|GOMP|KMP|QTHREAD|QT|MYTH|STARPU|CILK|TBB|ABT)_|TPTRACE_OUTPUT$|LD_PRELOAD$")
TMP = "@TMP@"  # in an environment: the run's folder
AGAIN = 2000   # runs: on libomp 16 nest_resize crashes once in 150
BESIDE = 8     # of them, as such a crash is a matter of time
SECONDS = 30   # of a program
HEADER = threading.Lock()

# Prints what corpus.conf says, NAME and VALUE in turn, each before a NUL.
ASK = r"""
missing() { :; }; compile_flags() { :; }; link_flags() { :; }; about() { :; }; traits() { :; }
variant= header= tmp=@TMP@ work=test/work/$1
read -r gcc older_gcc clang libomp <<<"$COMPILERS"
. "$work/corpus.conf"
say() { printf '%s\0%s\0' "$1" "$2"; }
say shim "$shim"; say variant "$variant"; say fails_alone "${fails_alone-}"
say programs "${programs:-$work}"; say about "$(about)"; say configs "$configs"; say header "$header"
for c in $configs; do
	IFS=, read -r cc opt threads <<<"$c"
	xx=${cc/gcc/g++}
	for x in "$cc" "${xx/clang/clang++}"; do
		say "found $x" "$(command -v "$x")"
		say "missing $x" "$(missing "$x")"
		say "compile_flags $x" "$(compile_flags "$x")"
		say "link_flags $x" "$(link_flags "$x")"
	done
	say "traits $cc" "$(traits "$cc")"
	for n in ${threads//,/ }; do say "environments $n $cc" "$(environments "$n" "$cc")"; done
done
"""


def ask(runtime):
    env = {**os.environ, "BUILD": BUILD, "COMPILERS": " ".join(tracing.compilers())}
    said = subprocess.check_output(["bash", "-c", ASK, "corpus", runtime], env=env, text=True).split("\0")
    return dict(zip(said[::2], said[1::2]))


def file_of(path):
    return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")


class Failure(Exception):
    """What a compiler said."""


def run_or_tell(*command):
    status, said = subprocess.getstatusoutput(shlex.join(command))
    if status:
        raise Failure("\n".join([shlex.join(command), *said.splitlines()[:30]]))


class Program:
    """A source, and what its comments say."""

    def __init__(self, path):
        self.path, self.beside = path, os.path.dirname(path)
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.is_cc = path.endswith(".cc")
        self.said = re.findall(r"^// ([\w-]+): *(.*)", file_of(path), re.MULTILINE)

    def lines(self, name):
        return [value for key, value in self.said if key == name]

    def words(self, name):
        return " ".join(self.lines(name)).split()

    def needs(self, cc):
        """What it needs of the compiler and that is not; or nothing."""
        needs = " ".join(self.lines("needs"))
        least = re.match(r"gcc(\d+)", needs)
        version = re.search(r"\d+$", cc)
        if cc.startswith("g"):
            fits = not needs or (least and version and int(version[0]) >= int(least[1]))
        else:
            fits = not needs or needs.endswith("clang")
        return "" if fits else needs

    def sources(self, conf):
        beside = [self.words(name) for name in ("lib", "plugin", "plugin-gomq", "plugin-iomp5")]
        included = re.findall(r'^#include "(.*)"', file_of(self.path), re.MULTILINE)
        return [self.path, __file__, conf, *glob.glob("test/work/*.h"),
                *(f"{self.beside}/{name}" for name in sum(beside, included))]


class Job:
    """A program, compiled in one way, on a runtime."""

    def __init__(self, conf, config, program):
        self.conf, self.program = conf, program
        self.first_cc, self.opt, self.threads = config.split(",", 2)
        self.cc = self.first_cc.replace("gcc", "g++").replace("clang", "clang++") if program.is_cc else self.first_cc
        self.what = f"{conf['runtime']} {program.name} {self.first_cc} {self.opt}"
        self.folder = f"{BUILD}/work/{conf['runtime']}/{conf['variant']}{self.first_cc}{self.opt}"
        self.binary = f"{self.folder}/{program.name}"

    def flags(self, which):
        return self.conf[f"{which} {self.cc}"].split()

    def aside(self, name):
        """Several jobs may build one library at once, so everything is built aside and renamed."""
        return f"{self.folder}/{name}.{threading.get_ident()}"

    def library(self, source, name, cc=None, runtime=None):
        made, new = self.aside(f"{name}.o"), self.aside(name)
        flags, links = self.flags("compile_flags"), self.flags("link_flags")
        run_or_tell(cc or self.cc, self.opt, "-g", "-Wall", "-fPIC", *flags, "-c", "-o", made,
                    f"{self.program.beside}/{source}")
        run_or_tell(self.cc, "-shared", "-o", new, f"-Wl,-soname,{name}",
                    *([made, runtime, "-Wl,-rpath,$ORIGIN"] if runtime else [*flags, made, *links]))
        os.rename(new, f"{self.folder}/{name}")
        os.unlink(made)
        return f"{self.folder}/{name}"

    def other_plugins(self, cc, file, name, prefix):
        """Those that are linked to a copy of a runtime with another name, which is as long."""
        for source in self.program.words(f"plugin-{prefix}"):
            code, new = pathlib.Path(file).read_bytes(), self.aside(name)
            pathlib.Path(new).write_bytes(code.replace(os.path.basename(file).encode(), name.encode()))
            os.rename(new, f"{self.folder}/{name}")
            self.library(source, f"{prefix}_{os.path.splitext(source)[0]}.so", cc, f"{self.folder}/{name}")

    def header(self):
        """The flags that take the runtime's header as it was compiled once, if the program includes it."""
        name = self.conf["header"]
        if not (name and self.cc.startswith("g++") and f'#include "{name}"' in file_of(self.program.path)):
            return []
        made = f"{self.folder}/{name}.gch"
        with HEADER:
            if not os.path.exists(made) or os.path.getmtime(made) < os.path.getmtime(f"{self.program.beside}/{name}"):
                run_or_tell(self.cc, self.opt, "-g", "-Wall", "-std=gnu++17", *self.flags("compile_flags"),
                            "-include", name, "-xc++-header", "-o", made, "/dev/null")
        return ["-I", self.folder, "-include", name]

    def build(self):
        p = self.program
        newest = max(map(os.path.getmtime, filter(os.path.exists, p.sources(self.conf["path"]))))
        if os.path.exists(self.binary) and os.path.getmtime(self.binary) > newest:
            return
        os.makedirs(self.folder, exist_ok=True)
        libs, _ = [[self.library(s, f"{os.path.splitext(s)[0]}.so") for s in p.words(w)] for w in ("lib", "plugin")]
        if p.words("plugin-gomq"):
            known = subprocess.check_output([self.cc, "-print-file-name=libgomp.so.1"], text=True).strip()
            self.other_plugins(self.cc, known, "libgomq.so.1", "gomq")
        self.other_plugins(CLANG, f"{LIBOMP}/libomp.so.5", "libiomp5.so", "iomp5")
        new = self.aside(p.name)
        run_or_tell(self.cc, self.opt, "-g", "-Wall", "-std=gnu++17" if p.is_cc else "-std=gnu11",
                    *self.header(), *self.flags("compile_flags"), "-o", new, p.path, *libs, "-Wl,-rpath,$ORIGIN",
                    *p.words("flags"), *self.flags("link_flags"))
        os.rename(new, self.binary)

    def why_not(self):
        """Why it is skipped; or nothing."""
        if not self.conf[f"found {self.cc}"]:
            return f"no {self.cc}"
        if self.conf[f"missing {self.cc}"]:
            return self.conf[f"missing {self.cc}"]
        if self.program.needs(self.cc):
            return f"needs {self.program.needs(self.cc)}"
        traits = ["corpus", *self.conf[f"traits {self.first_cc}"].split()]
        words = [w for w in self.program.words("not-on") if w in traits]
        clang = self.program.words("plugin-iomp5") and not shutil.which(CLANG)
        return f"cannot run on {words[0]}" if words else f"no {CLANG}" if clang else ""

    def lines(self):
        """A line "pass", "skip .." or "FAIL .." a run."""
        if why := self.why_not():
            return [f"skip {self.what}: {why}"]
        try:
            self.build()
        except Failure as failure:
            return [f"FAIL {self.what}: does not compile\n{failure}"]
        return [self.run(line) for n in self.threads.split(",")
                for line in self.conf[f"environments {n} {self.first_cc}"].splitlines()]

    def ends_so_alone(self, status, env, tmp):
        """Whether it does without us, too, if it is run often."""
        with concurrent.futures.ThreadPoolExecutor(BESIDE) as pool:
            outs = [f"{tmp}/again{i}" for i in range(BESIDE)]
            return any(run.status == status for _ in range(AGAIN // BESIDE)
                       for run in pool.map(lambda out: Run(self.binary, env, out), outs))

    def run(self, settings):
        words = settings.split() + self.program.words("env")
        preload = [w[len("LD_PRELOAD="):] for w in words if w.startswith("LD_PRELOAD=")]
        shim = ":".join([f"{BUILD}/{self.conf['shim']}", *self.conf["locks"], *preload])
        status = int((self.program.lines("status") or ["0"])[0])
        with tempfile.TemporaryDirectory() as tmp:
            os.mkdir(f"{tmp}/trace")
            words = [w.replace(TMP, tmp) for w in words]
            settings = settings.replace(TMP, "..")
            env = {**os.environ, **dict(w.split("=", 1) for w in words)}
            plain = Run(self.binary, env, f"{tmp}/plain")
            traced = None
            more = {"LD_PRELOAD": shim, "TPTRACE_OUTPUT": f"{tmp}/trace/%p.tpt"}
            if os.path.exists(f"{BUILD}/{self.conf['shim']}"):
                traced = Run(self.binary, {**env, **more}, f"{tmp}/traced")
            if self.conf["fails_alone"] == "skip" and plain.status != status:
                return f"skip {self.what}: fails untraced: {settings}"
            wrong = compare(plain, traced, status, self.program.lines("expect"), f"{tmp}/trace")
            if not wrong:
                return "pass"
            if traced and traced.status > 128 and self.ends_so_alone(traced.status, env, tmp):
                return f"skip {self.what}: the runtime crashes untraced, too: {settings}"
        return "\n".join([f"FAIL {self.what}: {settings}", *(f"    {line}" for line in "\n".join(wrong).splitlines()),
                          f"  {' '.join(words)} LD_PRELOAD={shim} TPTRACE_OUTPUT=/tmp/%p.tpt {self.binary}"])


class Run:
    """What a program said, and how it ended: 128 and more, a signal; 124, it stood still."""

    def __init__(self, binary, env, out):
        with open(f"{out}.out", "wb") as said, open(f"{out}.err", "wb") as error, \
                subprocess.Popen([binary], env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=error,
                                 process_group=0) as process:
            self.pid = process.pid
            try:
                status = process.wait(SECONDS)
                self.status = status if status >= 0 else 128 - status
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                self.status = 124
        self.out, self.err = file_of(f"{out}.out"), file_of(f"{out}.err")

    def count(self, word):
        """What the program counted itself."""
        return "\n".join(re.findall(rf"^tptrace-{word} (.*)", self.out, re.MULTILINE))


def differences(plain, traced):
    return [line for line in difflib.ndiff(plain.splitlines(), traced.splitlines()) if line[0] in "+-"]


def compare(plain, traced, status, expressions, folder):
    """What is wrong with the runs and what was traced; nothing, if nothing."""
    if plain.status != status:
        return [f"untraced: exit status {plain.status}, should be {status}", *plain.out.splitlines()[-3:],
                *plain.err.splitlines()[-3:]]
    if not traced:
        return []
    wrong = [f"exit status {traced.status}, untraced {plain.status}"] if traced.status != plain.status else []
    if traced.out != plain.out:
        wrong += ["stdout differs (+ is traced):", *differences(plain.out, traced.out)[:6]]
    said = differences(plain.err, traced.err)
    if len(said) > 1 or any(line[0] == "-" for line in said):
        wrong += ["stderr differs by more than one line (+ is traced):", *said[:6]]
    if not os.access(TPTRACE, os.X_OK):
        return wrong
    last = plain.out.splitlines()[-1:]
    tasks = plain.count("tasks") if last and last[0].startswith("tptrace-tasks ") else ""
    main = f"{folder}/{traced.pid}.tpt"
    for path in sorted(glob.glob(f"{folder}/*")):
        if path == main:
            wrong += check_trace(path, tasks, expressions, plain)
        elif os.path.getsize(path):  # of a child, or from before an exec
            wrong += [f"{os.path.basename(path)}: {line}" for line in check_trace(path)]
    if (tasks or "0") != "0" and not os.path.exists(main):
        wrong.append(f"no trace was written: {' '.join(os.listdir(folder))}")
    return wrong


def check_trace(path, tasks="", expressions=(), counted=None):
    done = subprocess.run([TPTRACE, "report", "--json", path], capture_output=True, text=True, check=False)
    if done.returncode:
        return [f"tptrace report failed: {line}" for line in done.stderr.splitlines()[:3]] or ["tptrace report failed"]
    try:
        return list(wrong_in(json.loads(done.stdout), tasks, expressions, counted))
    except (KeyError, ValueError, TypeError) as error:
        return [f"bad report: {type(error).__name__}: {error}"]


def wrong_in(r, tasks, expressions, counted):
    parts = [r[name] for name in tracing.PARTS]
    whole = r["elapsed_ns"] * r["workers"]
    n_of = {"explicit": 0, "implicit": 0, "root": 0}
    for kind in r["kinds"]:
        n_of[kind["what"] if kind["what"] in n_of else "explicit"] += kind["tasks"]
    if sum(parts) != whole:
        yield f"{'+'.join(map(str, parts))} is not elapsed * workers = {whole}"
    if r["events_lost"]:
        yield f"{r['events_lost']} events lost"
    yield from (f"not so: {line}" for line in expressions if not eval(line, {"r": r}))  # pylint: disable=eval-used
    if tasks and r["tasks_never_begun"]:
        yield f"{r['tasks_never_begun']} tasks never began, nor were cancelled"
    if tasks and n_of["explicit"] != int(tasks):
        yield f"{n_of['explicit']} explicit tasks in the trace, {tasks} in the program"
    members = counted.count("members") if counted else ""
    if members and n_of["implicit"] != int(members):
        yield f"{n_of['implicit']} implicit tasks in the trace, {members} in the program"
    for kind, n in (edge.split("=") for edge in (counted.count("edges") if counted else "").split()):
        if r["edges"].get(kind, 0) != int(n):
            yield f"{r['edges'].get(kind, 0)} {kind} edges in the trace, {n} in the program"


def check(runtime, names):
    """Whether nothing failed, and anything was run or skipped."""
    conf = ask(runtime)
    # as record does, which leaves locks to MassiveThreads where it has them
    conf |= {"runtime": runtime, "path": f"test/work/{runtime}/corpus.conf",
             "locks": [] if conf["shim"] == "libtpshim_mthdl.so" else [f"{BUILD}/libtpshim_pthread.so"]}
    if not os.path.exists(f"{BUILD}/{conf['shim']}"):
        print(f"skip corpus of {runtime} with its shim: no {BUILD}/{conf['shim']}")
    if not os.access(TPTRACE, os.X_OK):
        print(f"skip corpus of {runtime}, its traces: no {TPTRACE}")
    folders = conf["programs"].split()
    sources = [path for folder in folders for path in glob.glob(f"{folder}/*.c") + glob.glob(f"{folder}/*.cc")]
    programs = [p for p in map(Program, sorted(sources)) if not p.lines("part-of") and (not names or p.name in names)]
    if len(programs) < len(names) or not programs:
        sys.exit(f"corpus.py: not all of these are programs in {conf['programs']}: {' '.join(names)}")
    jobs = [Job(conf, config, p) for config in conf["configs"].split() for p in programs]
    counts = {"pass": 0, "FAIL": 0, "skip": 0}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for lines in pool.map(Job.lines, jobs):
            for line in lines:
                counts[line.split(" ", 1)[0]] += 1
                if line != "pass":
                    print(line, flush=True)
    about = f" ({conf['about']})" if conf["about"] else ""
    print(f"{counts['pass']} passed, {counts['FAIL']} failed, {counts['skip']} skipped{about}", flush=True)
    return counts["FAIL"] == 0 and counts["pass"] + counts["skip"] > 0


def main():
    known = sorted(os.path.basename(os.path.dirname(path)) for path in glob.glob("test/work/*/corpus.conf"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runtime", nargs="*", choices=[*known, []], help="one of these; all, if none is named")
    parser.add_argument("-p", "--program", action="append", default=[], help="this program alone")
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tracing.heed_signals()
    for name in [name for name in os.environ if FOREIGN.match(name)]:
        del os.environ[name]
    return not all([check(runtime, args.program) for runtime in args.runtime or known])


os.chdir(os.path.join(HERE, ".."))
sys.exit(main())
