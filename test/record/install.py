#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""install.py - make install, what is typed after it, and make uninstall: where the loader looks and where not."""
import glob
import json
import os
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD = ARGS.build
SHIM = "libtpshim_omp.so"
TASKS = 40
PHASED = """
int main(void)
{
#ifdef TPTRACE_H
	tptrace_phase("installed");
#endif
#pragma omp parallel
#pragma omp single
#pragma omp task
	;
	return 0;
}
"""

FORTRAN = """
use tptrace
call tptrace_stop()
call tptrace_start()
call tptrace_phase("installed  ")
call tptrace_region_begin("sweep")
!$omp parallel
!$omp single
!$omp task
!$omp end task
!$omp end single
!$omp end parallel
call tptrace_region_end("sweep")
end
"""


def run(command, **how):
    env = tracing.environment(**how.pop("env", {}))
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "LD_LIBRARY_PATH"):
        env.pop(name, None)
    return subprocess.run(command, capture_output=True, text=True, errors="replace", env=env, timeout=120,
                          check=False, **how)


def make(*words):
    done = run(["make", "-s", f"O={os.path.relpath(BUILD, ROOT)}", *words], cwd=ROOT)
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout


def program():
    out = os.path.join(BUILD, "record", "tasks-gcc")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    if not os.path.exists(out):
        subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "-D_GNU_SOURCE", os.path.join(HERE, "tasks.c"), "-o", out],
                       check=True)
    return out


def files(top):
    return sorted(os.path.relpath(os.path.join(folder, name), top)
                  for folder, _, names in os.walk(top) for name in names)


def expected():
    """All that an installation has in its prefix, but for the links and what says where they are."""
    names = [os.path.basename(path) for path in glob.glob(f"{BUILD}/lib*.so")]
    assert SHIM in names and "libtptrace.so" in names, names
    pages = [os.path.basename(path) for path in glob.glob(f"{ROOT}/tools/man/*.[17]")]
    assert len(pages) > 10, pages
    headers = [os.path.basename(path) for path in glob.glob(f"{ROOT}/preload/tptrace.*[h0]") +
               glob.glob(f"{ROOT}/shims/*/tptrace*.[hf]*")]
    return ["bin/tptrace", "bin/tptrace-report", *(f"lib/tptrace/{name}" for name in names),
            *(f"share/man/man{page[-1]}/{page}" for page in pages), *(f"include/{name}" for name in headers),
            "share/bash-completion/completions/tptrace", "share/bash-completion/completions/tptrace-report",
            "share/zsh/site-functions/_tptrace", "share/tptrace/gate", "share/tptrace/github.yml",
            "share/tptrace/modulefile", "share/tptrace/latencies/runtime-latencies",
            *(f"share/tptrace/adapters/{name}" for name in files(f"{ROOT}/shims/adapters"))]


def must_be_traced(tptrace, folder, command, **how):
    """The command runs the program, which leaves a whole trace in that folder."""
    out = os.path.join(folder, "out")
    os.makedirs(out)
    done = run(command, cwd=out, **how)
    assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7) and "ERROR" not in done.stderr, (command, done)
    (path,) = glob.glob(f"{out}/*.tpt") or [None]
    assert path, (command, done)
    report = tracing.report_of(tptrace, path)
    assert tracing.explicit(report) == TASKS, (command, report)
    shutil.rmtree(out)


def every_way(folder, prefix):
    """Each way to record that works where the loader does not look."""
    tptrace = f"{prefix}/bin/tptrace"
    must_be_traced(tptrace, folder, [tptrace, "record", program()])
    must_be_traced(tptrace, folder, [tptrace, "record", "--inside", program()])
    must_be_traced(tptrace, folder, ["env", f"LD_LIBRARY_PATH={prefix}/lib", f"LD_PRELOAD={SHIM}", program()])
    shims = run([tptrace, "record", "--print-shim", "omp"]).stdout.split("\n")
    assert len(shims) == 2 and os.path.exists(shims[0]), shims
    all_shims = run([tptrace, "record", "--print-shim"]).stdout
    both = run([tptrace, "record", "--print-shim", "omp", "pthread"]).stdout
    assert both.count(":") == 1 and both.count("\n") == all_shims.count("\n") == 1, (both, all_shims)
    if " " not in prefix:
        for shims_of in (all_shims, both):  # as $() leaves them
            must_be_traced(tptrace, folder, ["env", f"LD_PRELOAD={shims_of.rstrip(chr(10))}", program()])
        must_be_traced(tptrace, folder, ["env", f"LD_PRELOAD={shims[0]}", program()])
        must_be_traced(tptrace, folder, ["env", f"LD_PRELOAD={prefix}/lib/{SHIM}", program()])
    done = run([tptrace, "record", "--print-shim", "omp", "nix"])
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and "nix" in done.stderr, done


@frame.test
def staged(folder):
    """A package: no file is left of it, and none but its own goes."""
    for prefix, words in (("/usr/local", []), ("/usr", []), ("/opt/x y", ["prefix=/opt/x y"]),
                          ("/opt/odd", ["prefix=/opt/odd", "libdir=/opt/other/lib77"])):
        top = f"{folder}/{prefix.replace('/', '_')}"
        words = [f"DESTDIR={top}", *(words or [f"prefix={prefix}"])]
        said = make("install", *words)
        left = {"tptrace.pc", "modulefile"} & set(os.listdir(BUILD))  # two installations at once would share them
        assert not left, left
        assert "ldconfig" in said and len(said.splitlines()) == 1, said
        there = files(top)
        for name in expected():
            assert f"{prefix}/{name}"[1:] in there, (name, there)
        assert sum(name.endswith("/pkgconfig/tptrace.pc") for name in there) == 1, there
        links = [name for name in there if os.path.islink(f"{top}/{name}")]
        assert len(links) == 2 + len(glob.glob(f"{top}{prefix}/lib/tptrace/*.so")), links
        for link in links:  # they hold where the tree is and where it goes to
            assert not os.path.isabs(os.readlink(f"{top}/{link}")) and os.path.exists(f"{top}/{link}"), link
        if shutil.which("man"):
            done = run(["man", "-M", f"{top}{prefix}/share/man", "-w", "tptrace-record"])
            assert done.stdout.strip().endswith("man1/tptrace-record.1"), done
        must_be_traced(f"{top}{prefix}/bin/tptrace", folder, [f"{top}{prefix}/bin/tptrace", "record", program()])
        foreign = [f"{top}{prefix}/lib/libother.so", f"{top}{prefix}/bin/other"]
        for path in foreign:
            with open(path, "w", encoding="utf-8") as f:
                f.write("x")
        make("uninstall", *words)
        assert files(top) == sorted(os.path.relpath(path, top) for path in foreign), files(top)
        assert not os.path.exists(f"{top}{prefix}/lib/tptrace")
        make("uninstall", *words)


@frame.test
def latencies(folder):
    """What measures runtimes compiles from what is installed alone, and leaves nothing there."""
    make("install", f"DESTDIR={folder}/stage", "prefix=/usr")
    top = f"{folder}/stage/usr/share/tptrace/latencies"
    before = files(top)
    done = run([f"{top}/runtime-latencies", "--json", "--runs", "1", "--rounds", "20"], cwd=folder)
    assert done.returncode == 0, done
    said = json.loads(done.stdout)
    names = [of["runtime"] for of in said["runtimes"]]
    assert {"libgomp", "std::async"} <= set(names) and not set(names) & set(said["absent"]), said
    assert len(names) + len(said["absent"]) == 9 and all(of["latencies"] for of in said["runtimes"]), said
    assert files(top) == before, set(files(top)) ^ set(before)


@frame.test
def by_pkg_config(folder):
    """Its flags are enough for a program with the header, whose phases the report of the installed command has."""
    if not shutil.which("pkg-config"):
        return "pkg-config is missing"
    prefix = f"{folder}/my home"
    make("install", f"DESTDIR={folder}/stage", f"prefix={prefix}")
    os.rename(f"{folder}/stage{prefix}", prefix)
    ask = {"env": {"PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}}
    said = run(["pkg-config", "--cflags", "--libs", "tptrace"], **ask)
    assert said.returncode == 0 and said.stderr == "", said
    version = run(["pkg-config", "--modversion", "tptrace"], **ask).stdout
    assert run([f"{prefix}/bin/tptrace", "--version"]).stdout == f"tptrace {version}", version
    shims = run(["pkg-config", "--variable=shimdir", "tptrace"], **ask).stdout.strip()
    for header in glob.glob(f"{prefix}/include/*.h"):
        for compiler in ("gcc", "g++"):
            with open(f"{folder}/phased.c", "w", encoding="utf-8") as f:
                f.write(f"#include <{os.path.basename(header)}>\n" + PHASED)
            language = ["-xc++"] if compiler == "g++" else []
            done = run([compiler, "-Wall", "-Werror", "-fopenmp", *language, *shlex.split(said.stdout),
                        f"{folder}/phased.c", "-o", f"{folder}/phased"])
            assert done.returncode == 0, (header, done)
            path = f"{folder}/phased.tpt"
            done = run(["env", f"LD_LIBRARY_PATH={shims}", f"LD_PRELOAD={SHIM}", f"TPTRACE_OUTPUT={path}",
                        f"{folder}/phased"], cwd=folder)
            assert (done.returncode, done.stdout) == (0, "") and "ERROR" not in done.stderr, done
            done = run([f"{prefix}/bin/tptrace", "dump", path])
            assert header.endswith("tptrace.h") is (" phase installed\n" in done.stdout), done
            os.unlink(path)
    return from_fortran(folder, prefix)


def from_fortran(folder, prefix):
    """The module is compiled with the program, which says the same, and runs without the recorder, too."""
    if not shutil.which("gfortran"):
        return "no gfortran"
    with open(f"{folder}/phased.f90", "w", encoding="utf-8") as f:
        f.write(FORTRAN)
    done = run(["gfortran", "-std=f2008", "-Wall", "-Werror", "-fopenmp", f"{prefix}/include/tptrace.f90", "phased.f90",
                "-o", "phased"], cwd=folder)
    assert done.returncode == 0, done
    assert run([f"{folder}/phased"]).returncode == 0
    done = run([f"{prefix}/bin/tptrace", "record", "-q", "-o", "phased.tpt", "./phased"], cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
    said = run([f"{prefix}/bin/tptrace", "dump", "phased.tpt"], cwd=folder).stdout
    assert all(f" {mark}\n" in said for mark in ("phase installed", "begin sweep", "end sweep")), said
    return None


@frame.test
def private(folder):
    """Where the loader does not look: what install says is what works; and the tree may move."""
    for name in ("home", "my home"):
        prefix = f"{folder}/{name}"
        # in the staging of a package: it must not let this machine's loader know
        make("install", f"DESTDIR={folder}/stage", f"prefix={prefix}")
        os.rename(f"{folder}/stage{prefix}", prefix)
        every_way(folder, prefix)
        said = run(["scripts/tell-loader", "", f"{prefix}/lib"], cwd=ROOT, env={"PATH": without_ldconfig(folder)})
        lines = [line.strip() for line in said.stdout.splitlines()[1:]]
        assert said.returncode == 0 and len(lines) == (2 if " " in name else 3), said
        for line in lines:
            command = line.replace("COMMAND", program()).replace("tptrace record", f"'{prefix}/bin/tptrace' record")
            must_be_traced(f"{prefix}/bin/tptrace", folder, ["sh", "-c", command])
        os.rename(prefix, prefix + ".moved")
        every_way(folder, prefix + ".moved")


def without_ldconfig(folder):
    """A search path on which ldconfig is one that does nothing."""
    path = f"{folder}/path"
    os.makedirs(path, exist_ok=True)
    with open(f"{path}/ldconfig", "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\n")
    os.chmod(f"{path}/ldconfig", 0o755)
    return f"{path}:{os.environ['PATH']}"


@frame.test
def by_root(folder):
    """With /usr/local and /etc of its own, make install is enough for LD_PRELOAD with a bare name."""
    if os.getuid() != 0 or run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/usr/local"]).returncode:
        return "needs root, and mount namespaces"
    script = f"""
        set -e
        cp -a /etc {folder}/etc
        mount --bind {folder}/etc /etc
        mount -t tmpfs none /usr/local
        ! [ -d /var/cache/ldconfig ] || mount -t tmpfs none /var/cache/ldconfig
        make -s O={os.path.relpath(BUILD, ROOT)} install
        mkdir {folder}/out
        cd {folder}/out
        LD_PRELOAD={SHIM} {program()} || test $? = 7
        ls
        tptrace-report --json > {folder}/report.json
        cd "$OLDPWD"
        make -s O={os.path.relpath(BUILD, ROOT)} uninstall
        find /usr/local -type f -o -type l
        LD_PRELOAD={SHIM} /bin/true
        """
    if not os.path.isdir("/etc/ld.so.conf.d") or "/usr/local/lib" not in run(
            ["sh", "-c", "cat /etc/ld.so.conf.d/* /etc/ld.so.conf"]).stdout.split():
        return "the loader of this machine does not look into /usr/local/lib"
    done = run(["unshare", "-m", "sh", "-c", script], cwd=ROOT)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) == 3, done
    assert f"LD_PRELOAD={SHIM} COMMAND" in lines[0] and lines[1] == str(TASKS), done
    assert lines[2].startswith("tptrace.tasks") and os.path.getsize(f"{folder}/report.json") > 100, done
    assert SHIM in done.stderr and len(done.stderr.splitlines()) == 1, done  # it is gone from the cache
    return None


if __name__ == "__main__":
    sys.exit(frame.run("install", ARGS))
