# SPDX-License-Identifier: MIT
# mpi.mk - reports on the ranks of an mpirun, and what is recorded of MPI: check-mpi.

CHECKS += check-mpi

check-mpi: all
	$(Q)python3 test/mpi/check.py --build $(O)
	$(Q)python3 test/mpi/shim.py --build $(O)
	$(Q)python3 test/mpi/planted.py --build $(O)

.PHONY: check-mpi
