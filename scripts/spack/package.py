# SPDX-License-Identifier: MIT
"""A Spack recipe: put it into packages/tptrace/ of a repository (spack repo create), and the archive that `make dist`
wrote, tptrace-0.3.tar.gz, into the working directory; then `spack install --no-checksum tptrace`.
"""
import os

from spack.package import *  # noqa: F403  pylint: disable=wildcard-import,unused-wildcard-import

try:
    from spack_repo.builtin.build_systems.makefile import MakefilePackage  # Spack 1.0 and later
except ImportError:
    pass  # earlier, it is one of spack.package's


class Tptrace(MakefilePackage):  # noqa: F405,F811
    """Where the time of task-parallel programs goes: OpenMP tasks, oneTBB, Qthreads, MassiveThreads, StarPU, Cilk."""

    manual_download = True
    url = f"file://{os.getcwd()}/tptrace-0.3.tar.gz"
    license("MIT")  # noqa: F405

    version("0.3")  # noqa: F405

    variant("plot", default=True, description="pictures: tptrace plot")  # noqa: F405
    variant("sqlite", default=True, description="databases: export --to sqlite")  # noqa: F405
    variant("otf2", default=False, description="archives for Vampir: export --to otf2")  # noqa: F405
    variant("mpi", default=False, description="ranks of mpirun share the work of report and diff")  # noqa: F405

    depends_on("c", type="build")  # noqa: F405
    depends_on("gmake", type="build")  # noqa: F405
    depends_on("pkgconfig", type="build")  # noqa: F405
    depends_on("zstd")  # noqa: F405
    depends_on("elfutils")  # noqa: F405
    depends_on("zlib-api")  # noqa: F405
    depends_on("cairo+fc+ft+pdf+png+svg", when="+plot")  # noqa: F405
    depends_on("sqlite", when="+sqlite")  # noqa: F405
    depends_on("otf2", when="+otf2")  # noqa: F405
    depends_on("mpi", when="+mpi")  # noqa: F405

    def edit(self, spec, prefix):
        mpicc = spec["mpi"].mpicc if "+mpi" in spec else ""
        self.settings = [f"prefix={prefix}", f"libdir={prefix.lib}", f"MPICC={mpicc}"]

    @property
    def build_targets(self):
        return self.settings

    @property
    def install_targets(self):
        return ["install", *self.settings]
