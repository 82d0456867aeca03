# SPDX-License-Identifier: MIT
# machine.mk - CPU times and waits for CPUs, against what programs read of themselves: check-machine.

CHECKS += check-machine

$(O)/machine/program: test/machine/program.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -fopenmp -o $@ $<

check-machine: all $(O)/machine/program
	$(Q)python3 test/machine/check.py --build $(O)

.PHONY: check-machine
