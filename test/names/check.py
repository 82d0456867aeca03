#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] - the rows of reports have the names that users wrote, and keep them.

omp.c, tbb.cpp and bodies.cpp, named.c and named.cpp (which name their tasks themselves) are built by several compilers and in several ways.  A comment @what in the source
marks a line that the report must show, with the function or class that the mark names first.
"""
import csv
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402
from tracing import run  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD, TPTRACE = ARGS.build, ARGS.tptrace
TALLY = {"passed": 0, "failed": 0, "skipped": 0}


def marks(source):
    """{what: line} of the marked lines."""
    with open(os.path.join(HERE, source), encoding="utf-8") as lines:
        return {found[1]: number for number, line in enumerate(lines, 1)
                if (found := re.search(r"/\* @(.*?) \*/", line))}


def build(folder, compiler, source, *flags, out="program"):
    out = os.path.join(folder, out)
    libraries = ["-ltbb"] if source.endswith("cpp") else ["-fopenmp"]
    run(compiler, *flags, "-I", ROOT, os.path.join(HERE, source), "-o", out, *libraries, folder=folder)
    return out


def has_onetbb():
    """Debian 11 has classic TBB, whose tasks are not recorded."""
    probe = subprocess.run(["g++", "-fsyntax-only", "-xc++", "-"], input="#include <oneapi/tbb/version.h>\n", capture_output=True,
                           text=True, check=False)
    if probe.returncode:
        print("skip names of oneTBB: not there")
        TALLY["skipped"] += 1
    return probe.returncode == 0


def record(program, *options):
    trace = f"{program}.tpt"
    if os.path.exists(trace):
        os.unlink(trace)
    run(TPTRACE, "record", "-q", *options, "-o", trace, "--", program, OMP_NUM_THREADS=2)
    return trace


def kinds(trace, command=TPTRACE):
    """(name, file, line) of all rows of the program's own, and what was said on stderr."""
    result = run(command, "report", "--json", trace)
    rows = tracing.json.loads(result.stdout)["kinds"]
    return {(row["name"], row["file"] and os.path.basename(row["file"]), row["line"]) for row in rows}, result.stderr


NAMED = {"tile": "render tile", "last": "write tile", "plain": "plain"}
NAMED_TBB = {"tile": "render tile", "last": "write tile", "plain": "main::{lambda #"}

# what is marked in the source: the name that the row of that line has
OMP = {"fib first": "fib", "fib second": "fib", "spawn": "spawn", "main region": "main", "main loop": "main"}
# gcc 10 says that the code of a taskloop begins at the line of the construct around it
OMP_GCC = {what: name for what, name in OMP.items() if what != "main loop" or int(tracing.compilers()[0].rpartition("-")[2]) > 10}
TBB = {"Scale": "app::Scale", "Sum": "app::Sum<long>", "load first": "app::load()::{lambda #",
       "load second": "app::load()::{lambda #", "group": "app::group()::{lambda #", "main invoke": "main::{lambda #",
       "main each": "main::{lambda #", "pipe in": "app::pipe()::{lambda #", "pipe middle": "app::pipe()::{lambda #",
       "pipe out": "app::pipe()::{lambda #", "flow a": "app::flow()::{lambda #", "Body": "app::Body"}


def wrong_rows(trace, source, wanted):
    """What is not as a user would know it."""
    rows, _ = kinds(trace)
    lines = marks(source)
    for what, name in wanted.items():
        # oneTBB's own task that runs the body is called by the name of the algorithm
        at = {row[0] for row in rows if row[1:] == (source, lines[what]) and (name.startswith("tbb::") or not row[0].startswith("tbb::"))}
        if not at:
            yield f"no row for line {lines[what]}, {what}; {sorted(map(str, rows))}"
        elif not all(name == row or (name.endswith("#") and row.startswith(name)) for row in at):
            yield f"{what}: {at}, not {name}"
    for name, _, _ in rows:
        if re.search(r"_omp_fn|\.omp_|^_?_?[ZN]\d|\(anonymous|, std::|blocked_range", name) or len(name) > 100:
            yield f"no user wrote {name}"


def wrong_names(trace, wanted):
    """Likewise, where there is no debug information: functions alone, those of one name numbered."""
    rows, _ = kinds(trace)
    names = {re.sub(r" #\d+$", "", row[0]) for row in rows}
    for name in set(wanted.values()):
        if not any(row == name or (name.endswith("#") and row.startswith(name)) for row in names):
            yield f"no row {name}: {names}"
    for name in names:
        if re.search(r"_omp_fn|\.omp_|^_?_?[ZN]\d", name):
            yield f"no user wrote {name}"


def check(name, problems):
    problems = list(problems)
    TALLY["failed" if problems else "passed"] += 1
    for problem in problems:
        print(f"{name}: {problem}")


def recognised(folder):
    onetbb = has_onetbb()
    for c, cxx in (("gcc", "g++"), ("clang", "clang++")):
        if not shutil.which(c) or not shutil.which(cxx):
            print(f"skip names by {c}: not there")
            TALLY["skipped"] += 1
            continue
        sources = ((c, "omp.c", OMP_GCC if c == "gcc" else OMP), (cxx, "tbb.cpp", TBB))[:1 + onetbb]
        for flags in (("-g", "-O0"), ("-g", "-O2"), ("-g", "-O2", "-no-pie"), ("-g", "-O1", "-gdwarf-4"),
                      ("-g", "-O2", "-gsplit-dwarf")):
            for compiler, source, wanted in sources:
                trace = record(build(folder, compiler, source, *flags))
                # where it is not inlined, the loop is begun by a function of a header
                wanted = wanted | ({"function": "tbb::parallel_for"} if compiler == "g++" and "-O2" in flags else {})
                check(" ".join((compiler, *flags, source)), wrong_rows(trace, source, wanted))
        for compiler, source, wanted in sources:
            for level in ("-O0", "-O2"):
                trace = record(build(folder, compiler, source, level))
                # nothing tells that spawn() was inlined
                check(f"{compiler} {level} {source}, no -g",
                      wrong_names(trace, {what: name for what, name in wanted.items() if name != "spawn"}))


def named(folder):
    """tptrace_name(): also where the call is the last thing that a task does, or is not inlined."""
    sources = (("gcc", "named.c", NAMED), ("clang", "named.c", NAMED),
               ("g++", "named.cpp", NAMED_TBB), ("clang++", "named.cpp", NAMED_TBB))
    for compiler, source, wanted in sources if has_onetbb() else sources[:2]:
        if not shutil.which(compiler):
            continue
        for level in ("-O0", "-O2"):
            trace = record(build(folder, compiler, source, "-g", level))
            check(f"{compiler} {level} {source}", wrong_rows(trace, source, wanted))
            program = build(folder, compiler, source, "-g", level)
            run(program)  # untraced the calls do nothing
            if (source, level) == ("named.cpp", "-O0"):
                continue  # the lambda is a function that the task's calls, and nothing says so
            trace = record(build(folder, compiler, source, level))
            rows = {name for name, _, _ in kinds(trace)[0]}
            check(f"{compiler} {level} {source}, no -g", {"render tile", "write tile"} - rows)


def one_row_each(folder):
    """Copies of a task's code that a compiler made are one kind, and several sites."""
    for compiler in filter(shutil.which, ("gcc", "clang")):
        for level in ("-O2", "-O3"):
            trace = record(build(folder, compiler, "omp.c", "-g", level))
            rows = [(row["name"], row["line"]) for row in tracing.report_of(TPTRACE, trace)["kinds"]]
            check(f"{compiler} {level}, one row each", sorted(row for row in rows if rows.count(row) > 1))
            table = list(csv.DictReader(run(TPTRACE, "report", "--by", "site", "--csv", trace).stdout.splitlines()))
            names = [(row["site"], row["place"]) for row in table]
            check(f"{compiler} {level}, sites apart", sorted(name for name in names if names.count(name) > 1))
            copies = [name for name in names if " +0x" in name[1]]
            check(f"{compiler} {level}, copies", [names] if compiler == "clang" and len(copies) < 2 else [])


def instances(folder):
    """Instances of a template have their own names, and so has all that was cut out of one function."""
    for compiler in filter(shutil.which, ("g++", "clang++")):
        for flags in (("-g",), ("-g", "-O2"), ("-O2",), ("-O2", "-s")):
            trace = record(build(folder, compiler, "instances.cc", *flags))
            rows = [(row["name"], row["tasks"]) for row in tracing.report_of(TPTRACE, trace)["kinds"]]
            ten = {name for name, tasks in rows if tasks == 10}
            wrong = [rows] if len(ten) != 4 or len(rows) != 6 else []
            if "-g" in flags:
                wrong += {"Work<int>::go", "Work<double>::go", "each<3>", "each<4>"} - ten
            check(f"{compiler} {' '.join(flags)} instances.cc", wrong)


def body_tasks(program, *options):
    """Of each line of bodies.cpp that is marked: how often its body ran, and how many tasks have the line."""
    trace = f"{program}.tpt"
    if os.path.exists(trace):
        os.unlink(trace)
    said = run(TPTRACE, "record", "-q", *options, "-o", trace, "--", program).stdout
    lines = marks("bodies.cpp")
    ran = {lines[what]: int(times) for what, times in re.findall(r"^(.*) (\d+)$", said, re.M)}
    rows = tracing.report_of(TPTRACE, trace)["kinds"]
    seen = {row["line"]: row["tasks"] for row in rows if row["line"] in ran}
    assert set(ran) == set(lines.values()), (ran, lines)
    return ran, seen, {row["name"] for row in rows}


BODIES = (("g++", "-O2"), ("clang++", "-O2"), ("g++", "-O0"), ("clang++", "-O0"), ("clang++", "-O0", "-fno-rtti"))


def bodies(folder):
    """Filters of pipelines and nodes of flow graphs are told apart, and each has as many tasks as its body ran."""
    ways = [way for way in BODIES if shutil.which(way[0])] if has_onetbb() else []
    with ThreadPoolExecutor(2) as pool:
        programs = list(pool.map(lambda way: build(folder, way[0], "bodies.cpp", "-g", *way[1:], out="-".join(way)), ways))
    for way, program in zip(ways, programs):
        if "-fno-rtti" in way:  # the tasks are those of their class
            _, seen, names = body_tasks(program)
            check(f"{way} bodies.cpp", [seen] if seen or "tbb::parallel_pipeline" not in names else [])
            continue
        for options in ((), ("--collapse", "off")):
            ran, seen, names = body_tasks(program, *options)
            check(f"{way} bodies.cpp {options}", [(ran, seen)] if ran != seen else
                  {"Square", "Scale<int>", "Node::Node()::{lambda #1}", "tbb::flow::join_node"} - names)
        dump = run(TPTRACE, "dump", f"{program}.tpt").stdout
        check(f"{way} tokens", [] if re.search(r"^runtime .* tokens=1\b", dump, re.M) else ["none"])
        if way[0] == "g++":  # C++17, which has parallel algorithms
            check(f"{way} std::sort", {"std::sort"} - names)


LOCKS = {"critical(histogram)", "critical", "table_lock", "lock pool+0x8", "mutex guard"}


def lock_names(trace):
    return {row["name"] for row in tracing.report_of(TPTRACE, trace)["locks"]}


def wrong_locks(names, wanted):
    """Those on the heap have their address."""
    if not wanted <= names or not any(re.fullmatch("lock 0x[0-9a-f]+", name) for name in names):
        yield f"not {wanted}: {names}"


def locks(folder):
    """Variables that are locks have their names, and keep them."""
    for compiler in filter(shutil.which, ("gcc", "clang")):
        for flags in (("-g", "-O2"), ("-O0",), ("-O2", "-no-pie")):
            program = build(folder, compiler, "locks.c", *flags)
            trace = record(program)
            os.unlink(program)
            check(f"{compiler} {' '.join(flags)} locks.c, kept", wrong_locks(lock_names(trace), LOCKS))
            program = build(folder, compiler, "locks.c", *flags)
            trace = record(program, "--no-names")
            check(f"{compiler} {' '.join(flags)} locks.c", wrong_locks(lock_names(trace), LOCKS))
        run("strip", program)
        trace = record(program)
        check(f"{compiler}, stripped", wrong_locks(lock_names(trace), set()))


def kept(folder):
    """Whatever happens to the program, its trace says the same."""
    program = build(folder, "gcc", "omp.c", "-g", "-O2")
    trace = record(program)
    before, _ = kinds(trace)
    check("kept", wrong_rows(trace, "omp.c", OMP_GCC))
    with open(trace, "rb") as data:
        whole = data.read()

    def same(how, says=""):
        after, said = kinds(trace)
        check(f"kept, {how}", [] if after == before and (says in said if says else not said) else [(after, said)])

    build(folder, "gcc", "omp.c", "-g", "-O0")
    same("rebuilt", "program has changed since the recording; names are those kept in the trace")
    os.unlink(program)
    same("removed")
    # text and back
    text = f"{trace}.txt"
    with open(text, "w", encoding="utf-8") as out:
        out.write(run(TPTRACE, "dump", trace).stdout)
    os.unlink(trace)
    run(TPTRACE, "load", "-o", trace, text)
    same("dumped and loaded")
    assert whole.endswith(b"tptrend\n")


def not_kept(folder):
    """Without them the program is asked, and, once it is another one, nothing."""
    program = build(folder, "gcc", "omp.c", "-g", "-O2")
    trace = record(program, "--no-names")
    assert "names" not in re.findall(r"^meta (\S+)", run(TPTRACE, "dump", trace).stdout, re.M)
    check("not kept", wrong_rows(trace, "omp.c", OMP_GCC))
    inode = os.stat(trace).st_ino
    with open(trace, "rb") as old:  # who has it open reads on
        run(TPTRACE, "info", "--embed", trace)
        assert os.stat(trace).st_ino != inode and old.read().endswith(b"tptrend\n")
    build(folder, "gcc", "omp.c", "-g", "-O0")
    check("embedded", wrong_rows(trace, "omp.c", OMP_GCC))
    trace = record(program, "--no-names")
    build(folder, "gcc", "omp.c", "-g", "-O1")
    rows, said = kinds(trace)
    check("changed", [] if "has changed since the recording; its names are not shown" in said and
          said.count("\n") == 1 and not any(file for _, file, _ in rows) else [(rows, said)])
    # what cannot be known now is not kept as unknown: the program that was recorded comes back
    run(TPTRACE, "info", "--embed", trace)
    build(folder, "gcc", "omp.c", "-g", "-O0")
    check("known again", wrong_rows(trace, "omp.c", OMP_GCC))


def without_lines(folder):
    """Code without lines is told apart by where it is, as nm says it; what to do is said, once."""
    hint = "no line numbers of {}: compile it with -g"
    for flags in ((), ("-no-pie",)):
        program = build(folder, "gcc", "omp.c", "-O1", *flags)
        starts = {name: int(start, 16) for start, _, name in re.findall(
            r"^([0-9a-f]+) (.) (\S+)$", run("nm", program).stdout, re.M)}
        wanted = {f"{os.path.basename(program)}+0x{start:x}" for name, start in starts.items()
                  if name.startswith("fib._omp_fn.")}
        for option in ((), ("--no-names",)):
            text = run(TPTRACE, "report", record(program, *option)).stdout
            found = set(re.findall(r"^fib #[12]  (\S+) ", text, re.M))
            check(" ".join(("without lines", *flags, *option)),
                  [] if len(wanted) == 2 and found == wanted and
                  text.count(hint.format(os.path.basename(program))) == 1 else [(wanted, text)])
    program = build(folder, "gcc", "omp.c", "-O1", "-g")
    text = run(TPTRACE, "report", record(program)).stdout
    check("with lines", [] if "no line numbers" not in text else [text])


def stripped(folder):
    """What OpenMP's tasks run has the name of the exported function that creates them, if that is not cut up itself."""
    for compiler in filter(shutil.which, ("gcc", "clang")):
        for level in ("-O0", "-O1"):
            program = build(folder, compiler, "omp.c", level, "-s", "-rdynamic", "-Dstatic=", "-Dinline=")
            for option in ((), ("--no-names",)):
                check(" ".join((compiler, level, "stripped", *option)),
                      wrong_names(record(program, *option), {"fib": "fib", "region": "main"}))


def refused(folder):
    """A trace that cannot be amended stays as it is."""
    program = build(folder, "gcc", "omp.c", "-g", "-O2")
    trace = record(program, "--no-names")
    with open(trace, "rb") as data:
        whole = data.read()
    with open(trace, "wb") as cut:
        cut.write(whole[:-3])
    result = run(TPTRACE, "info", "--embed", trace, status=None)
    check("cut", [] if result.returncode == 1 and result.stderr.count("\n") == 1 and
          "did not end cleanly" in result.stderr and open(trace, "rb").read() == whole[:-3] else [result])
    check("nothing beside it", [name for name in os.listdir(folder) if "names-" in name])


def preloaded(folder):
    """A program that collects by itself keeps none, until it is asked to."""
    program = build(folder, "gcc", "omp.c", "-g", "-O2")
    shim = run(TPTRACE, "record", "--print-shim", "omp").stdout.strip()
    trace = f"{program}.tpt"
    if os.path.exists(trace):
        os.unlink(trace)
    run(program, LD_PRELOAD=shim, TPTRACE_OUTPUT=trace, TPTRACE_VERBOSE=0, OMP_NUM_THREADS=2)
    run(TPTRACE, "info", "--embed", trace)
    os.unlink(program)
    check("preloaded", wrong_rows(trace, "omp.c", OMP_GCC))


def left(folder):
    """Names that took `record` too long are those that the first report finds, if the program is still the same."""
    program = build(folder, "gcc", "omp.c", "-g", "-O2")
    trace = record(program, "--no-names")
    text = run(TPTRACE, "dump", trace).stdout
    with open(f"{trace}.txt", "w", encoding="utf-8") as out:
        out.write(text.replace("meta exe", "meta names later\nmeta exe", 1))
    for how, flags, says in (("changed", ("-O0",), "later"), ("removed", None, "kept"), ("the same", ("-O2",), "kept")):
        os.unlink(trace)
        run(TPTRACE, "load", "-o", trace, f"{trace}.txt")
        if os.path.exists(program):
            os.unlink(program)
        if flags:
            build(folder, "gcc", "omp.c", "-g", *flags)
        rows, _ = kinds(trace)
        check(f"left, {how}", [rows] if any(file for _, file, _ in rows) != (how == "the same") else [])
        names = re.findall(r"^meta names (\S+)", run(TPTRACE, "dump", trace).stdout, re.M)
        check(f"left, {how}, then", [names] if names != [says] else [])
    os.unlink(program)
    check("left, and kept", wrong_rows(trace, "omp.c", OMP_GCC))


SITE = re.compile(r"^site .* ret=0x(\w+).* ret-module=(\d+).* at-file=(\S+) at-line=(\d+)", re.M)


def places(trace):
    """Of each call in the program, by its offset there: file and line, as the trace has them."""
    text = run(TPTRACE, "dump", trace).stdout
    biases = [int(bias, 16) for bias in re.findall(r"^module \d+ .*bias=0x(\w+)", text, re.M)]
    return {int(at, 16) - biases[int(module)]: (os.path.basename(file), int(line))
            for at, module, file, line in SITE.findall(text)}


def by_addr2line(program, offsets):
    """Likewise, as addr2line says, which is right only where addresses grow."""
    offsets = sorted(offsets)
    said = run("addr2line", "-e", program, *(hex(at - 1) for at in offsets)).stdout.splitlines()
    found = (re.match(r"(?:.*/)?(.*?):(\d+)", line) for line in said)
    return {at: (line[1], int(line[2])) for at, line in zip(offsets, found)}


# a unit of one function, without a line table
ABBREVIATIONS = """	.section .debug_abbrev,"",@progbits
.Labbrev:	.uleb128 1, 0x11, 1, 3, 8, 0x11, 1, 0x12, 7, 0, 0, 2, 0x2e, 0, 3, 8, 0x11, 1, 0x12, 7, 0, 0, 0
"""
UNIT = """	.text
.Lb{i}:	ret
.Le{i}:
	.section .debug_info,"",@progbits
	.4byte .Lo{i} - .Ls{i}
.Ls{i}:	.2byte 4
	.4byte .Labbrev
	.byte 8
	.uleb128 1
	.asciz "unit{i}.c"
	.8byte .Lb{i}, .Le{i} - .Lb{i}
	.uleb128 2
	.asciz "function{i}"
	.8byte .Lb{i}, .Le{i} - .Lb{i}
	.byte 0
.Lo{i}:
"""

# what is done to the program once it is built
AFTER = {"as it is": (), "-gz": (("objcopy", "--compress-debug-sections"),),
         "index": (("gdb-add-index",),), "dwz": (("dwz",),),
         "dwz -m": (("cp", "{}", "{}.copy"), ("dwz", "-m", "{}.alt", "{}", "{}.copy")),
         "debuglink": (("objcopy", "--only-keep-debug", "{}", "{}.debug"), ("strip",),
                       ("objcopy", "--add-gnu-debuglink={}.debug"))}


def changed_so(program, after):
    """False: a tool for that is not there, or, as dwz, does not know that form."""
    for command in AFTER[after]:
        words = [word.format(program) for word in command]
        if not any(program in word and not word.startswith("--") for word in words):
            words.append(program)
        result = shutil.which(command[0]) and run(*words, status=None, folder=os.path.dirname(program))
        if not result or result.returncode:
            assert not result or command[0] == "dwz", result
            return False
    return True


def as_addr2line(folder):
    """Calls have the lines that addr2line has, in whatever form, and among a thousand units."""
    with open(os.path.join(folder, "units.s"), "w", encoding="utf-8") as out:
        out.write(ABBREVIATIONS + "".join(UNIT.format(i=i) for i in range(1000)))
    for compiler in filter(shutil.which, ("gcc", "clang")):
        common = (folder, compiler, "omp.c", "-O1", os.path.join(folder, "units.s"))
        plain = build(*common, "-gdwarf-5", out="plain")
        wanted = by_addr2line(plain, places(record(plain)))
        for flags in ("-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gsplit-dwarf", "-g -fdebug-types-section"):
            for after in AFTER:
                program = build(*common, *flags.split())
                if not changed_so(program, after):
                    TALLY["skipped"] += 1
                    continue
                found = places(record(program))
                check(f"{compiler} {flags} {after} beside addr2line",
                      [(found, wanted)] if found != wanted or len(found) < 3 else [])


def main():
    tests = (recognised, as_addr2line, left, named, one_row_each, instances, bodies, locks, kept, not_kept,
             without_lines, stripped, refused, preloaded)
    for _, test in frame.chosen([(test.__name__, test) for test in tests], ARGS.only):
        with tracing.new_folder("names.") as folder:
            test(folder)
    print(f"names: {TALLY['passed']} passed, {TALLY['failed']} failed, {TALLY['skipped']} skipped")
    return TALLY["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
