# SPDX-License-Identifier: MIT
# slow.mk - tptrace record --slow on each runtime, and predictions against it: check-slow.

CHECKS += check-slow

$(O)/slow/forks: test/slow/forks.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -I. -fopenmp -o $@ $<

check-slow: all runtimes $(O)/slow/forks
	$(Q)python3 test/slow/check.py --build $(O)

.PHONY: check-slow
