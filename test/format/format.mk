# SPDX-License-Identifier: MIT
# format.mk - a reader written from FORMAT.md alone, beside tptrace dump: check-format.

CHECKS += check-format

$(O)/format/fib: test/work/omp/fib.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -fopenmp -o $@ $<

$(O)/format/phases: test/control/program.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -fopenmp -Ipreload -o $@ $<

check-format: all $(O)/format/fib $(O)/format/phases
	$(Q)python3 test/format/check.py --build $(O)

.PHONY: check-format
