#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - make dist and the files of Debian's packages, without building them: what is in which, and that it works."""
import glob
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

BUILD = frame.options(__doc__).build
SHIM = "libtpshim_omp.so"
TASKS = 40  # of test/record/tasks.c
EPOCH = "1700000000"
PACKAGES = ["tptrace", "tptrace-dev"]
if os.path.exists(f"{BUILD}/tptrace-mpi"):  # there was an mpicc
    PACKAGES.append("tptrace-mpi")


def run(*command, **how):
    env = tracing.environment(SOURCE_DATE_EPOCH=EPOCH, **how.pop("env", {}))
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "LD_LIBRARY_PATH"):
        env.pop(name, None)
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=env, timeout=120, check=False,
                          **how)
    assert done.returncode == how.get("status", 0), (command, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def version():
    return run(f"{BUILD}/tptrace", "--version").split()[1]


def archive_of(root, folder, name):
    path = os.path.join(folder, name)
    run(f"{root}/scripts/dist", f"tptrace-{version()}", path)
    return path + ".tar.gz"


def sources(folder):
    """What git tracks is in the archive, but for the ways of one place; and an archive makes itself again."""
    archive = archive_of(ROOT, folder, "first")
    name = f"tptrace-{version()}"
    with tarfile.open(archive) as tar:
        members = tar.getmembers()
        assert all(m.uid == m.gid == 0 and m.mtime == int(EPOCH) and m.isreg() for m in members), members[0]
        there = {os.path.relpath(m.name, name) for m in members}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode == 0 and tracked.stdout:
        missing = {path for path in tracked.stdout.splitlines() if not path.startswith(".ci/")} ^ there
        assert not missing, missing
    run("tar", "-xzf", archive, "-C", folder)
    tree = os.path.join(folder, name)
    os.makedirs(f"{tree}/build/obj")  # what a build and a test leave is in no archive
    for left in ("build/obj/main.o", "test/left.tpt", "test/left.tpt.1"):
        with open(f"{tree}/{left}", "w", encoding="utf-8") as f:
            f.write("x")
    again = archive_of(tree, folder, "second")
    with open(archive, "rb") as first, open(again, "rb") as second:
        assert first.read() == second.read(), "the archive that an archive makes differs"
    assert sorted(os.listdir(folder)) == ["first.tar.gz", "second.tar.gz", name], os.listdir(folder)
    return archive


def program():
    out = os.path.join(BUILD, "packages", "tasks")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    if not os.path.exists(out):
        subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "-D_GNU_SOURCE", f"{ROOT}/test/record/tasks.c", "-o", out], check=True)
    return out


def split(stage, tree, folder):
    """Each installed file goes to the one package whose list has it, as dh_install does it."""
    at = {}
    for package in PACKAGES:
        with open(f"{tree}/debian/{package}.install", encoding="utf-8") as f:
            for pattern in f.read().split():
                found = glob.glob(os.path.join(stage, pattern))
                assert found, f"{package}.install: nothing is {pattern}"
                for path in found:
                    inside = [os.path.join(top, name) for top, _, names in os.walk(path) for name in names]
                    for file in inside if os.path.isdir(path) else [path]:
                        assert file not in at, f"{file} is in two packages"
                        at[file] = package
    installed = {os.path.join(top, name) for top, _, names in os.walk(stage) for name in names}
    assert installed == set(at), f"in no package: {sorted(installed ^ set(at))}"
    for file, package in at.items():
        to = os.path.join(folder, package, os.path.relpath(file, stage))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy2(file, to, follow_symlinks=False)


def traced(folder, tptrace, *command):
    """The program, which ends with 7, leaves a whole trace of all of its tasks."""
    out = tempfile.mkdtemp(dir=folder)
    done = subprocess.run(command, cwd=out, env=tracing.environment(), capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7) and "ERROR" not in done.stderr, done
    (path,) = glob.glob(f"{out}/*.tpt")
    assert tracing.explicit(tracing.report_of(tptrace, path)) == TASKS, path


def packages(folder, archive):
    """The source package is one, and what its binary packages would hold is whole and works from where it is unpacked."""
    for tool in ("dpkg-deb", "dpkg-source", "dpkg-gencontrol"):
        if not shutil.which(tool):
            return f"{tool} is missing"
    made = os.path.join(folder, "deb")
    run(f"{ROOT}/scripts/make-deb", archive, version(), made, "source")
    (described,) = glob.glob(f"{made}/*.dsc")
    assert os.path.basename(described) == f"tptrace_{version()}-1.dsc", described
    tree = f"{made}/tptrace-{version()}"
    arch = run("gcc", "-print-multiarch").strip() or run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
    stage = os.path.join(folder, "stage")
    run("make", "-s", f"O={os.path.relpath(BUILD, ROOT)}", "install", f"DESTDIR={stage}", "prefix=/usr",
        f"libdir=/usr/lib/{arch}", "zshcompdir=/usr/share/zsh/vendor-completions", cwd=ROOT)
    split(stage, tree, os.path.join(folder, "trees"))
    root = os.path.join(folder, "root")
    for package in PACKAGES:
        content = os.path.join(folder, "trees", package)
        os.makedirs(f"{content}/DEBIAN")
        run("dpkg-gencontrol", f"-p{package}", f"-P{content}", f"-f{folder}/files", cwd=tree)
        run("dpkg-deb", "--root-owner-group", "-Znone", "-b", content, f"{folder}/{package}.deb")
        run("dpkg-deb", "-x", f"{folder}/{package}.deb", root)
        said = run("dpkg-deb", "-f", f"{folder}/{package}.deb", "Package", "Version")
        assert said == f"Package: {package}\nVersion: {version()}-1\n", said
    tptrace = f"{root}/usr/bin/tptrace"
    traced(folder, tptrace, "env", f"LD_LIBRARY_PATH={root}/usr/lib/{arch}", f"LD_PRELOAD={SHIM}", program())
    traced(folder, tptrace, tptrace, "record", program())
    return None


SPACK = """
class MakefilePackage: pass
class Prefix(str):
    lib = property(lambda self: self + "/lib")
def depends_on(*_, **__): pass
license = version = variant = depends_on
"""


def spack(folder):
    """The recipe is one for Spack 1.0 and later, and for earlier ones; it installs where Spack asks for it."""
    prefix, recipe = f"{folder}/prefix", f"{ROOT}/scripts/spack/package.py"
    text = SPACK.replace("class MakefilePackage: pass", "")
    for name, made in (("new", {"spack/package": text, "spack_repo/builtin/build_systems/makefile": SPACK}),
                       ("old", {"spack/package": SPACK})):
        for path, content in made.items():
            os.makedirs(os.path.dirname(f"{folder}/{name}/{path}"))
            with open(f"{folder}/{name}/{path}.py", "w", encoding="utf-8") as f:
                f.write(content)
        ask = ("import runpy, sys; of = runpy.run_path(sys.argv[1]); t = of['Tptrace']();"
               "t.edit((), of['Prefix'](sys.argv[2])); print('\\n'.join(t.install_targets))")
        targets = run(sys.executable, "-c", ask, recipe, prefix, env={"PYTHONPATH": f"{folder}/{name}"}).splitlines()
        assert targets[0] == "install", targets
    run("make", "-s", *targets, f"O={os.path.relpath(BUILD, ROOT)}", cwd=ROOT)
    traced(folder, f"{prefix}/bin/tptrace", f"{prefix}/bin/tptrace", "record", program())


def main():
    with tracing.new_folder("tptrace-packages.") as folder:
        os.makedirs(f"{folder}/dist")
        archive = sources(f"{folder}/dist")
        print("ok packages make dist", flush=True)
        spack(folder)
        print("ok packages a recipe for Spack", flush=True)
        skipped = packages(folder, archive)
        print(f"skip packages of Debian: {skipped}" if skipped else "ok packages of Debian", flush=True)


if __name__ == "__main__":
    sys.exit(main())
