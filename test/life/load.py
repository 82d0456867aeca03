#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""load.py - libraries that are bound past the preloads: their tasks are recorded, or they are told of.

What the program prints and how it ends is the same as without tptrace; its own tasks are always there.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

OWN, ITS = 1000, 1000   # tasks of the program, of the library
EARLY = 50              # .. and of its constructor
SOURCE = os.path.join(HERE, "load.c")

# name: how it is loaded, by which program, the library; the tasks that are recorded, and who is told of
CASES = {
    "plain": ("plain", "gcc", "lib", OWN + ITS, None),
    "deep": ("deep", "gcc", "lib", OWN + ITS, None),
    "lazily": ("lazily", "gcc", "lib", OWN + ITS, None),
    "global": ("global", "gcc", "lib", OWN + ITS, None),
    "bound at once": ("deep", "gcc", "libnow", OWN + ITS, None),
    "by way of another": ("deep", "gcc", "libouter", OWN + ITS, None),
    "loaded twice": ("again", "gcc", "lib", OWN + ITS, None),
    "by dlmopen": ("base", "gcc", "lib", OWN + ITS, None),
    "into a program without OpenMP": ("deep", "serial", "lib", ITS, None),
    "by a name": ("deep", "gcc", "lib.so", OWN + ITS, None),
    "by the caller's path": ("deep", "runpath", "lib.so", OWN, "lib.so"),
    "by the caller's path, plain": ("plain", "runpath", "lib.so", OWN + ITS, None),
    "another copy": ("deep", "gcc", "libown", OWN, "libown.so"),
    "apart": ("apart", "gcc", "lib", OWN, "lib.so"),
    "apart by way of another": ("apart", "gcc", "libouter", OWN, "libinner.so"),
    "apart, another copy": ("apart", "gcc", "libown", OWN, "libown.so"),
    "apart, no tasks": ("apart", "gcc", "libserial", OWN, None),
    "constructors": ("deep", "gcc", "libearly", OWN + ITS, "libearly.so (its constructors, if they made any)"),
    "constructors, plain": ("plain", "gcc", "libearly", OWN + ITS + EARLY, None),
    "constructors that call nothing": ("lazily", "gcc", "libidle", OWN + ITS, None),
    "gone": ("deep", "gcc", "none", OWN, None),
    "clang's": ("deep", "clang", "libclang", OWN + ITS, None),
    "clang's apart": ("apart", "clang", "libclang", OWN, "libclang.so"),
    "clang's in gcc's": ("deep", "gcc", "libclang", OWN + ITS, None),
}


def build(folder, clang, omp):
    """The programs and libraries; those of clang if it is there."""
    def make(out, cc, *flags):
        subprocess.run([cc, "-D_GNU_SOURCE", "-O1", "-g", "-w", SOURCE, "-o", f"{folder}/{out}", *flags, "-ldl"], check=True)

    library = ("-shared", "-fPIC")
    tasks = (*library, "-fopenmp", "-DLIBRARY=run")
    make("lib.so", "gcc", *library, "-fopenmp", "-DLIBRARY=run", "-Dinner=run")
    make("libnow.so", "gcc", *tasks, "-Wl,-z,now,-z,relro")
    make("libearly.so", "gcc", *tasks, "-DEARLY=1")
    make("libidle.so", "gcc", *tasks, "-DEARLY=0", "-Wl,-z,lazy")
    make("libserial.so", "gcc", *library, "-DLIBRARY=run")
    make("libinner.so", "gcc", *library, "-fopenmp", "-DLIBRARY=inner")
    make("libouter.so", "gcc", *library, "-DOUTER", f"{folder}/libinner.so")
    found = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True).stdout.strip()
    with open(found, "rb") as file:
        copy = file.read().replace(b"libgomp.so.1\0", b"libgomq.so.1\0")
    with open(f"{folder}/libgomq.so.1", "wb") as file:
        file.write(copy)
    make("own.o", "gcc", "-c", "-fPIC", "-fopenmp", "-DLIBRARY=run")
    subprocess.run(["gcc", "-shared", "-o", f"{folder}/libown.so", f"{folder}/own.o", f"{folder}/libgomq.so.1",
                    f"-Wl,-rpath,{folder}"], check=True)
    make("gcc", "gcc", "-fopenmp")
    make("serial", "gcc")
    make("runpath", "gcc", "-fopenmp", f"-Wl,-rpath,{folder}")
    if clang and omp:
        path = (f"-L{omp}", f"-Wl,-rpath,{omp}")
        make("libclang.so", clang, *tasks, *path)
        make("clang", clang, "-fopenmp", *path)


def check(folder, tptrace, trace, name, alone, shim):
    how, program, library, tasks, told = CASES[name]
    path = library if library.endswith(".so") else f"{folder}/{library}.so"
    environment = tracing.environment(TPTRACE_VERBOSE=0, KMP_DUPLICATE_LIB_OK="TRUE", LD_LIBRARY_PATH=folder if program == "gcc" and path == library else "")
    command = [f"{folder}/{program}", how, path]
    plain = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    if alone:
        environment.update(LD_PRELOAD=shim, TPTRACE_OUTPUT=trace)
    else:
        command = [tptrace, "record", "-q", "-o", trace, "--", *command]
    traced = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert (plain.stdout, plain.returncode) == (traced.stdout, traced.returncode), (plain, traced)
    done = subprocess.run([tptrace, "report", "--json", "--strict", trace], capture_output=True, text=True, timeout=120,
                          env=tracing.environment(), check=False)
    report = json.loads(done.stdout)
    where = [os.path.basename(loss["where"]) for loss in report["losses"]]
    assert tracing.explicit(report) == tasks, (tracing.explicit(report), "of", tasks)
    assert where == ([told] if told else []), (where, "not", told)
    assert done.returncode == (3 if told else 0), done.returncode
    said = subprocess.run([tptrace, "report", trace], capture_output=True, text=True, timeout=120,
                          env=tracing.environment(), check=False).stdout
    assert ("LOST:" in said) == bool(told) and (not told or told in " ".join(said.split())), said


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
    options = parser.parse_args()
    out = os.path.abspath(options.build)
    _, _, clang, *omp = [*tracing.compilers(), "", "", "", ""]
    results = []
    with tracing.new_folder("tptrace-load.") as folder:
        build(folder, clang, omp[0])
        for i, (name, (_, program, library, _, _)) in enumerate(CASES.items()):
            if "clang" in program + library and not os.path.exists(f"{folder}/libclang.so"):
                print(f"skip load {name}: no clang with libomp")
                continue
            for alone in (False, True):
                how = "LD_PRELOAD alone" if alone else "record"
                try:
                    check(folder, f"{out}/tptrace", f"{folder}/{i}.{alone}.tpt", name, alone, f"{out}/libtpshim_omp.so")
                    results.append((f"{name}, {how}", ""))
                except Exception as error:  # every kind is a failure
                    results.append((f"{name}, {how}", f"{type(error).__name__}: {error}"))
    return frame.verdict("load", results)


if __name__ == "__main__":
    sys.exit(main())
