#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""files.py [--build DIR] - where traces are put, how they are called, and who cannot meddle."""
import os
import re
import shutil
import socket
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

STRANGER = 54321
LAUNCHERS = (
    ({"PMIX_RANK": "3", "OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "8",
      "OMPI_COMM_WORLD_LOCAL_RANK": "1", "SLURM_PROCID": "0"}, (3, 8, 1)),
    ({"OMPI_COMM_WORLD_RANK": "5"}, (5, None, None)),
    ({"PMI_RANK": "1", "PMI_SIZE": "2", "MPI_LOCALRANKID": "0"}, (1, 2, 0)),
    ({"PMI_ID": "7"}, (7, None, None)),
    ({"MV2_COMM_WORLD_RANK": "2", "MV2_COMM_WORLD_SIZE": "4", "MV2_COMM_WORLD_LOCAL_RANK": "2"},
     (2, 4, 2)),
    ({"FLUX_TASK_RANK": "6", "FLUX_JOB_SIZE": "9", "FLUX_TASK_LOCAL_ID": "6"}, (6, 9, 6)),
    ({"JSM_NAMESPACE_RANK": "1", "JSM_NAMESPACE_SIZE": "3", "JSM_NAMESPACE_LOCAL_RANK": "1"},
     (1, 3, 1)),
    ({"PALS_RANKID": "12", "PALS_LOCAL_RANKID": "4"}, (12, None, 4)),
    ({"ALPS_APP_PE": "11"}, (11, None, None)),
    ({"SLURM_PROCID": "10", "SLURM_NTASKS": "16", "SLURM_LOCALID": "2"}, (10, 16, 2)),
)


class Run:
    def __init__(self, build, path):
        self.build, self.program, self.path = build, f"{build}/many/tasks", path

    def __call__(self, *arguments, program=None, umask=-1, cwd=None, **env):
        env = tracing.environment(**env, LD_PRELOAD=f"{self.build}/libtpshim_omp.so")
        run = subprocess.run([program or self.program, *arguments], cwd=cwd or self.path,
                             env=env, umask=umask, capture_output=True, text=True,
                             timeout=60, check=False)
        assert run.returncode == 0 and run.stdout == f"{0 if arguments else 10} tasks of 10\n", run
        return run.stderr

    def traces(self, path=None):
        return sorted(os.listdir(path or self.path))

    def json(self, path):
        return tracing.report_of(f"{self.build}/tptrace", path)


def test_ranks(run):
    """Host, pid and rank are in the name under a launcher, and in the trace always."""
    host = socket.gethostname()
    for env, (rank, ranks, local) in LAUNCHERS:
        assert run(**env) == ""
        (name,) = run.traces()
        found = re.fullmatch(rf"tptrace\.tasks\.{re.escape(host)}\.(\d+)\.r{rank}\.tpt", name)
        assert found, (env, name)
        got = run.json(os.path.join(run.path, name))
        assert (got["rank"], got["ranks"], got["local_rank"]) == (rank, ranks, local), (env, got)
        assert got["host"] == os.uname().nodename and got["pid"] == int(found.group(1))
        os.remove(os.path.join(run.path, name))
    run()
    (name,) = run.traces()
    assert re.fullmatch(r"tptrace\.tasks\.\d+\.tpt", name), name
    got = run.json(os.path.join(run.path, name))
    assert got["rank"] is None and got["host"] == os.uname().nodename and got["pid"] > 0


def test_batch(run):
    """Slurm's job is in the name, also of ranks that another launcher starts; else %j is the launcher's, or 0."""
    host = re.escape(socket.gethostname())
    run(SLURM_JOB_ID="4711", SLURM_STEP_ID="0", SLURM_PROCID="2")
    run(SLURM_JOB_ID="4712", PMIX_RANK="1", PMIX_NAMESPACE="space")
    for (name, job, rank) in zip(run.traces(), (4711, 4712), (2, 1), strict=True):
        assert re.fullmatch(rf"tptrace\.tasks\.j{job}\.{host}\.\d+\.r{rank}\.tpt", name), name
        os.remove(f"{run.path}/{name}")
    for env, name in (({"SLURM_JOB_ID": "4711", "PMIX_NAMESPACE": "a/b"}, "4711.tpt"),
                      ({"PMIX_NAMESPACE": "a/b"}, "a_b.tpt"), ({}, "0.tpt")):
        run(TPTRACE_OUTPUT="%j.tpt", **env)
        assert run.traces() == [name], (env, run.traces())
        os.remove(f"{run.path}/{name}")


def test_empty(run):
    """Processes without tasks leave no file, though they load the runtime."""
    run("none")
    subprocess.run(["sh", "-c", "true; sh -c true; ls / >/dev/null"], cwd=run.path, check=True,
                   env=dict(os.environ, LD_PRELOAD=f"{run.build}/libtpshim_omp.so"))
    assert run.traces() == [], run.traces()


def test_umask(run):
    for umask in (0o022, 0o077, 0o027):
        run(umask=umask, TPTRACE_OUTPUT="x.tpt")
        mode = os.stat(os.path.join(run.path, "x.tpt")).st_mode & 0o777
        assert mode == 0o666 & ~umask, (oct(umask), oct(mode))
        os.remove(os.path.join(run.path, "x.tpt"))


def test_taken(run):
    """What is there already is neither written to nor followed."""
    name = os.path.join(run.path, "x.tpt")
    precious = os.path.join(run.path, "precious")
    with open(precious, "w", encoding="utf-8") as f:
        f.write("keep")
    for i, make in enumerate((lambda: os.symlink(precious, name),
                              lambda: os.symlink(precious + "2", name),
                              lambda: os.link(precious, name),
                              lambda: open(name, "w", encoding="utf-8").close())):
        make()
        run(TPTRACE_OUTPUT="x.tpt" if i % 2 else name)
        assert run.traces() == ["precious", "x.tpt", "x.tpt.1"], (i, run.traces())
        assert run.json(name + ".1")["tasks"] > 10
        os.remove(name)
        os.remove(name + ".1")
    os.mkfifo(name)     # a pipe or device is what was meant: no file beside it is
    run(TPTRACE_OUTPUT=name)
    assert run.traces() == ["precious", "x.tpt"], run.traces()
    with open(precious, encoding="utf-8") as f:
        assert f.read() == "keep"


def test_links(run):
    """One's own links lead on, also relative ones and in the middle; loops end."""
    os.makedirs(f"{run.path}/a/b")
    os.symlink("a", f"{run.path}/l1")
    os.symlink(f"{run.path}/l1/b", f"{run.path}/l2")
    os.symlink("../..", f"{run.path}/a/b/up")
    run(TPTRACE_OUTPUT="l2/up/.//l2/y.tpt")
    assert run.traces(f"{run.path}/a/b") == ["up", "y.tpt"]
    run(TPTRACE_OUTPUT="l2")
    assert len(run.traces(f"{run.path}/a/b")) == 3
    os.symlink("loop", f"{run.path}/loop")
    for bad in ("loop/x.tpt", "l1/none/x.tpt", "a/b/y.tpt/x.tpt", "x" * 300, "y/" * 2100 + "x"):
        said = run(TPTRACE_OUTPUT=bad)
        assert said.startswith("tptrace: ") and said.count("\n") == 1, (bad[:30], said)
    os.symlink("/".join(["."] * 2000), f"{run.path}/long")
    said = run(TPTRACE_OUTPUT="long/" * 5 + "x.tpt")
    assert said.count("\n") == 1 or os.path.exists(f"{run.path}/x.tpt"), said


def test_planted(run):
    """Where everybody may write, what another user made is not gone through."""
    if os.getuid() != 0:
        raise frame.Skip("needs root, to act as two users")
    common, victim = f"{run.path}/common", f"{run.path}/victim"
    os.mkdir(common)
    os.mkdir(victim)
    os.chmod(common, 0o1777)
    for name in ("link", "mine"):
        os.symlink(victim, f"{common}/{name}")
    for name in ("folder", "ours"):
        os.mkdir(f"{common}/{name}")
        os.chmod(f"{common}/{name}", 0o777)
    os.mkdir(f"{common}/folder/below")
    os.lchown(f"{common}/link", STRANGER, STRANGER)
    os.chown(f"{common}/folder", STRANGER, STRANGER)
    for name in ("link", "link/x.tpt", "folder", "folder/x.tpt", "folder/below/x.tpt",
                 "mine/../common/link/x.tpt"):
        said = run(TPTRACE_OUTPUT=f"{common}/{name}")
        assert "another user" in said and said.count("\n") == 1, (name, said)
        said = run(TPTRACE_OUTPUT=name, cwd=common)
        assert "another user" in said and said.count("\n") == 1, (name, said)
    assert run.traces(victim) == [] and run.traces(f"{common}/folder") == ["below"]
    assert run.traces(f"{common}/folder/below") == []
    for name in ("mine/x.tpt", "ours/x.tpt", "x.tpt"):
        assert run(TPTRACE_OUTPUT=f"{common}/{name}") == "", name
        assert os.path.exists(f"{common}/{name}")
    os.chmod(common, 0o755)  # where not everybody may write, its owner answers for it
    assert run(TPTRACE_OUTPUT=f"{common}/link/z.tpt") == ""
    assert "z.tpt" in run.traces(victim)


def test_names(run):
    """Names of programs may hold anything; what is made of them stays in the folder."""
    source = f"{run.path}/bin"
    os.mkdir(source)
    out = f"{run.path}/out"
    os.mkdir(out)
    for name in ("a\nb", "a b%p", "x\x1b[31m", "..x", "é", "n" * 200):
        program = f"{source}/{name}"
        shutil.copy(run.program, program)
        run(program=program, TPTRACE_OUTPUT=out)
        run(program=program, TPTRACE_OUTPUT=f"{out}/%e-%r.tpt", PMI_RANK="../../x/\n" + name[:20])
        made = run.traces(out)
        assert len(made) == 2 and not any(set(m) & set("\n\x1b/") for m in made), (name, made)
        for m in made:
            run.json(f"{out}/{m}")
            os.remove(f"{out}/{m}")
    assert run.traces() == ["bin", "out"], run.traces()


def test_together(run):
    """Processes that end up with the same name each get a file of their own."""
    env = dict(os.environ, LD_PRELOAD=f"{run.build}/libtpshim_omp.so", TPTRACE_OUTPUT="same.tpt")
    started = [subprocess.Popen([run.program], cwd=run.path, env=env, stdout=subprocess.DEVNULL)
               for _ in range(8)]
    assert [p.wait(timeout=60) for p in started] == [0] * 8
    assert run.traces() == ["same.tpt"] + [f"same.tpt.{i}" for i in range(1, 8)]
    pids = {run.json(f"{run.path}/{name}")["pid"] for name in run.traces()}
    assert pids == {p.pid for p in started}


if __name__ == "__main__":
    ARGS = frame.arguments(__doc__)
    os.makedirs(f"{ARGS.build}/many", exist_ok=True)
    subprocess.run(["gcc", "-O1", "-fopenmp", "-o", f"{ARGS.build}/many/tasks", f"{HERE}/tasks.c"], check=True)
    sys.exit(frame.run("files", ARGS, frame.tests_in(globals(), lambda folder: Run(ARGS.build, folder))))
