# SPDX-License-Identifier: MIT
# counters.mk - counters of strands, against programs that touch so many pages: check-counters.

CHECKS += check-counters

$(O)/counters/program: test/counters/program.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -I. -fopenmp -o $@ $< -ldl

check-counters: all runtimes $(O)/counters/program
	$(Q)python3 test/counters/check.py --build $(O)

.PHONY: check-counters
