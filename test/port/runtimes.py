# SPDX-License-Identifier: MIT
"""runtimes.py - which runtimes the programs of test/port can be built for here, and building them.

Qthreads, MassiveThreads and Cilk Plus are looked for in $QTHREADS_PREFIX, $MYTH_PREFIX and
$CILKRTS_PREFIX, then by pkg-config; else it is their stand-in, which `make runtimes` builds.
"""
import argparse
import os
import random
import re
import shlex
import shutil
import subprocess
import tempfile

PROGRAMS = ("fib", "nqueens", "sort", "sparselu", "wave")
BOTS = tuple("bots/" + name for name in ("alignment", "fft", "fib", "floorplan", "health", "nqueens",
                                         "sort", "sparselu", "strassen", "uts"))
TILES = ("tiles/cholesky", "tiles/qr")  # for OpenMP and StarPU, if LAPACK is there
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
VARIABLE_OF = {"qth": "QTHREADS_PREFIX", "mth": "MYTH_PREFIX", "cilk": "CILKRTS_PREFIX", "abt": "ABT_PREFIX"}
FLAGS = ["-O2", "-g", "-Wall", "-Wextra", "-ffp-contract=off", "-I" + ROOT]


class Failure(Exception):
    pass


def clean_environment():
    """Without what would tell a runtime or the recorder something else, but for the clock."""
    theirs = re.compile("(OMP|GOMP|KMP|QT|QTHREAD|MYTH|STARPU|CILK|PORT|STEAL)_|TPTRACE_(?!CLOCK$)|LD_PRELOAD$")
    return {k: v for k, v in os.environ.items() if not theirs.match(k)}


class Runtime:
    """One that may be there: `missing` says why it is not, or is None."""

    def __init__(self, key, name, header, shim=None, compiler="gcc", flags=(), libs=(), env="",
                 probe=None):
        self.key, self.name, self.shim = key, name, shim
        self.header = os.path.join(ROOT, "test/port", header)
        self.compiler, self.flags, self.libs = compiler, list(flags), list(libs)
        self.env, self.probe = env, probe
        self.stand_in, self.missing = False, None
        said = open(self.header, encoding="utf-8").read()
        # the reference has every form, and says so otherwise
        self.depends = "PORT_DEPENDS 0" not in said
        self.nests = "PORT_NESTS 0" not in said

    def environment(self, workers, scratch):
        """What makes it use so many workers."""
        words = self.env.format(workers=workers, scratch=scratch).split()
        return dict(word.split("=", 1) for word in words)

    def cannot(self, program):
        """Why it has no such program, or None."""
        if program in ("fib", "nqueens", *BOTS) and not self.nests:
            return "its tasks cannot wait for tasks"
        if program in TILES and self.key not in ("gomp", "omp", "starpu"):
            return "its tasks do not depend on data"
        return None

    def look(self):
        """Sets `missing`, unless something can be compiled and linked."""
        if self.missing or not self.probe:
            return self
        if not shutil.which(self.compiler):
            self.missing = f"no {self.compiler}"
            return self
        code = f"#include <{self.probe}>\nint main(void) {{ return 0; }}\n"
        done = subprocess.run([self.compiler, *language(self.compiler), "-", *self.flags,
                               "-o", "/dev/null", *self.libs],
                              input=code, capture_output=True, text=True, check=False)
        if done.returncode:
            self.missing = f"no <{self.probe}>, or nothing to link it to"
        return self


def language(compiler):
    return ["-xc++", "-std=gnu++17"] if compiler.endswith("++") else ["-xc", "-std=gnu11"]


def pkg_config(name):
    """Flags and libraries, or None."""
    try:
        done = subprocess.run(["pkg-config", "--cflags", "--libs", name], capture_output=True,
                              text=True, check=False)
    except OSError:
        return None
    words = shlex.split(done.stdout)
    if done.returncode:
        return None
    libs = [w for w in words if w.startswith(("-l", "-L", "-Wl,"))]
    return [w for w in words if w not in libs], libs


def in_folder(folder, library):
    return [f"-L{folder}", f"-Wl,-rpath,{folder}", f"-l{library}"]


def find_or_stand_in(runtime, build, package, library):
    """Where the runtime is: its variable, pkg-config's package, or the stand-in."""
    variable = VARIABLE_OF[runtime.key]
    prefix = os.environ.get(variable)
    known = package and pkg_config(package)
    if prefix:
        folders = [f for f in ("lib", "lib64", f"lib/{os.uname().machine}-linux-gnu")
                   if os.path.exists(os.path.join(prefix, f, f"lib{library}.so"))]
        runtime.flags = ["-I" + os.path.join(prefix, "include"), *runtime.flags]
        runtime.libs = in_folder(os.path.join(prefix, (folders or ["lib"])[0]), library)
        if not folders:
            runtime.missing = f"no lib{library}.so in ${variable}"
    elif known:
        runtime.flags, runtime.libs = known[0] + runtime.flags, known[1]
    else:
        folder = os.path.join(build, "runtime")
        runtime.stand_in = True
        runtime.flags = [f"-I{ROOT}/test/runtime/{library}", *runtime.flags]
        runtime.libs = in_folder(folder, library)
        if not os.path.exists(os.path.join(folder, f"lib{library}.so")):
            runtime.missing = f"no ${variable}, and no stand-in (make runtimes)"
    return runtime


def foreign(build):
    """All that are not ours, in the order of the tables."""
    clang = next((c for c in ["clang"] + [f"clang-{v}" for v in range(22, 10, -1)]
                  if shutil.which(c)), "clang")
    starpu = pkg_config("starpu-1.4") or pkg_config("starpu-1.3")
    return [
        Runtime("gomp", "libgomp", "openmp.h", "omp", flags=["-fopenmp"], libs=["-fopenmp"],
                env="OMP_NUM_THREADS={workers}", probe="omp.h"),
        Runtime("omp", "libomp", "openmp.h", "omp", compiler=clang, flags=["-fopenmp"],
                libs=["-fopenmp"], env="OMP_NUM_THREADS={workers}", probe="omp.h"),
        Runtime("tbb", "oneTBB", "tbb.h", "tbb", compiler="g++", libs=["-ltbb"],
                env="PORT_WORKERS={workers}", probe="oneapi/tbb/task_group.h"),
        find_or_stand_in(
            Runtime("qth", "Qthreads", "qthreads.h", "qth", probe="qthread/qthread.h",
                    env="QTHREAD_NUM_SHEPHERDS={workers} QTHREAD_NUM_WORKERS_PER_SHEPHERD=1"),
            build, "qthread", "qthread"),
        find_or_stand_in(
            Runtime("mth", "MassiveThreads", "myth.h", "mth", probe="myth/myth.h",
                    env="MYTH_NUM_WORKERS={workers}"),
            build, None, "myth"),
        Runtime("starpu", "StarPU", "starpu.h", "starpu", probe="starpu.h",
                flags=starpu[0] if starpu else [], libs=starpu[1] if starpu else ["-lstarpu-1.3"],
                env="STARPU_NCPU={workers} STARPU_NCUDA=0 STARPU_NOPENCL=0 STARPU_SILENT=1 "
                    "STARPU_WORKERS_NOBIND=1 STARPU_HOME={scratch}"),
        find_or_stand_in(
            Runtime("cilk", "Cilk Plus", "cilk.h", "cilk", probe="lowered.h",
                    flags=[f"-I{ROOT}/test/runtime/cilkrts"], env="CILK_NWORKERS={workers}"),
            build, None, "cilkrts"),
    ]


def find(build):
    """Those that tests record, in the order of the tables."""
    runtimes = foreign(build)
    runtimes.append(
        Runtime("steal", "the runtime with marks", "steal.h", "task", probe="test/steal/steal.h",
                flags=["-I" + ROOT], libs=in_folder(os.path.join(build, "steal"), "steal"),
                env="STEAL_WORKERS={workers}"))
    for runtime in runtimes:
        runtime.look()
        if not runtime.missing and not os.path.exists(shim_of(build, runtime)):
            runtime.missing = f"no {shim_of(build, runtime)}"
    return runtimes


def find_installed(build):
    """Those that are really here, recorded or not, for latency.c: no stand-in, which has a speed of its own."""
    argobots = find_or_stand_in(
        Runtime("abt", "Argobots", "argobots.h", probe="abt.h", env="PORT_WORKERS={workers}"),
        build, "argobots", "abt")
    threads = Runtime("async", "std::async", "async.h", compiler="g++", flags=["-pthread"], libs=["-pthread"],
                      probe="future")
    runtimes = [*foreign(build), argobots, threads]
    for runtime in runtimes:
        if runtime.stand_in:
            runtime.missing = f"not found: set {VARIABLE_OF[runtime.key]} to where it is"
        runtime.look()
    return runtimes


def shim_of(build, runtime):
    return os.path.join(build, f"libtpshim_{runtime.shim}.so")


def missing_lapack():
    """Why programs of TILES cannot be linked, or None."""
    done = subprocess.run(["gcc", "-xc", "-", "-o", "/dev/null", "-llapack", "-lblas"], capture_output=True, text=True,
                          input="void dtpmqrt_(void);\nint main(void) { dtpmqrt_(); return 0; }\n", check=False)
    return "no LAPACK to link to (liblapack-dev)" if done.returncode else None


def sources(program):
    """Its file, and what that may include."""
    port = os.path.join(ROOT, "test/port")
    if program in TILES:
        bench = os.path.join(ROOT, "test/bench")
        return [os.path.join(bench, program + ".c"), os.path.join(bench, "tiles/tiles.h"),
                os.path.join(bench, "bots/bots.h"), os.path.join(port, "port.h")]
    if program not in BOTS:
        return [os.path.join(port, program + ".c"), os.path.join(port, "port.h")]
    bots = os.path.join(ROOT, "test/bench/bots")
    name = os.path.basename(program) + ".c"
    made_of = [os.path.join(bots, name), os.path.join(bots, "bots.h"), os.path.join(port, "port.h")]
    return made_of + [p for p in [os.path.join(port, name)] if os.path.exists(p)]


def build_program(build, runtime, program, defines=()):
    """Its path; compiled if it is older than what it is made of, or was made otherwise.

    Checks that run beside each other may build the same: there is always a whole program of that name.
    """
    folder = os.path.join(build, "port")
    out = os.path.join(folder, "-".join([program.replace("/", "-"), runtime.key, *defines])
                       .replace("=", ""))
    source, *included = sources(program)
    command = [runtime.compiler, *FLAGS, *runtime.flags, *[f"-D{d}" for d in defines],
               f'-DPORT_HEADER="{runtime.header}"', *language(runtime.compiler), source,
               *runtime.libs, *(["-llapack", "-lblas"] if program in TILES else []), "-lm"]
    made_by = os.path.join(folder, "." + os.path.basename(out))
    made_of = [source, runtime.header, *included]
    os.makedirs(folder, exist_ok=True)
    if (os.path.exists(out) and os.path.exists(made_by)
            and open(made_by, encoding="utf-8").read() == " ".join(command)
            and all(os.path.getmtime(m) < os.path.getmtime(out) for m in made_of)):
        return out
    with tempfile.TemporaryDirectory(dir=folder) as own:
        done = subprocess.run([*command, "-o", f"{own}/program"], capture_output=True, text=True, check=False)
        if done.returncode or done.stderr:
            raise Failure(f"{' '.join(command)}:\n{done.stderr}")
        with open(f"{own}/made_by", "w", encoding="utf-8") as f:
            f.write(" ".join(command))
        os.replace(f"{own}/program", out)
        os.replace(f"{own}/made_by", made_by)
    return out


def arguments(doc, n):
    """The options of build_for_all(), and how many runs by what seed."""
    parser = argparse.ArgumentParser(description=doc.strip().splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--n", type=int, default=n)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--runtime", action="append")
    return parser


def begun(run):
    """The program of build_for_all() that a run of each_run() is of, just started; what it says goes to `out` in its folder."""
    with open(run.counter, "wb") as file:
        file.write(bytes(64))
    environment = run.environment()
    command = command_of(run.options, run.runtime, run.inside, environment)
    with open(os.path.join(run.folder, "out"), "wb") as out:
        process = subprocess.Popen(command, env=environment, cwd=run.folder, stdout=out, stderr=out)
    run.pid = process.pid
    return process


def each_run(options, there, make, wrong):
    """Makes options.n runs, make(options, runtime, seed) each, or the one that options.seed asks for; says which of them
    raise something of `wrong` in check().  What the others return, in a list; and how many failed."""
    seed = options.seed if options.seed is not None else random.randrange(10 ** 9)
    made, failed = [], 0
    for i in range(1 if options.seed is not None else options.n):
        run = make(options, there[i % len(there)], seed + i)
        try:
            made.append(run.check())
        except wrong as why:
            failed += 1
            print(f"FAIL {run}: {why} ({run.folder})", flush=True)
    return made, failed


def build_for_all(options, title, program, nests):
    """The runtimes that are here, of those that options.runtime asks for, as a list; options.program has the program of each.

    nests: only those where tasks can wait for tasks.  Also where tptrace is, and a folder for what is recorded.
    """
    options.build = os.path.abspath(options.build)
    options.tptrace = os.path.realpath(os.path.join(options.build, "tptrace"))
    options.scratch = os.path.join(options.build, os.path.basename(os.path.dirname(program)))
    os.makedirs(options.scratch, exist_ok=True)
    options.program = {}
    for runtime in find(options.build):
        if options.runtime and runtime.key not in options.runtime or nests and not runtime.nests:
            continue
        if runtime.missing:
            print(f"skip {title} of {runtime.key}: {runtime.missing}")
            continue
        options.program[runtime.key] = build_program(options.build, runtime, program)
    return [runtime for runtime in find(options.build) if runtime.key in options.program]


def command_of(options, runtime, inside, environment):
    """What records the program of build_for_all(); inside: by itself, as the environment then says."""
    program = options.program[runtime.key]
    if not inside:
        return [options.tptrace, "record", "-q", "--", program]
    environment["LD_PRELOAD"] = shim_of(options.build, runtime)
    return [program]


def small(program):
    """Its arguments where it is only looked at: those of the benchmark take a second."""
    return ["-s"] if program in BOTS + TILES else []


REFERENCE = ("serial", "the reference", "serial.h")


def reference(build, program, runtime):
    """What the program prints in the form that the runtime gets, and the counts of its graph."""
    forms = (("PORT_DEPENDS=0", runtime.depends), ("PORT_NESTS=0", runtime.nests))
    defines = [d for d, has in forms if not has]
    path = build_program(build, Runtime(*REFERENCE), program, defines)
    lines = subprocess.run([path, *small(program)], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    words = lines[-1].split()[1:]
    return lines[:-1], dict(zip(words[::2], map(int, words[1::2])))
