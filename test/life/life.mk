# SPDX-License-Identifier: MIT
# life.mk - the check of what ends, doubles, replaces or troubles a traced process: check-life;
# soak: LEAVE_N runs of each that ends while others run tasks.

CHECKS += check-life

LEAVE_N ?= 100

check-life: all $(O)/bare/libtpshim_omp.so
	$(Q)python3 test/life/check.py --build $(O)
	$(Q)python3 test/life/leave.py --build $(O)
	$(Q)python3 test/life/load.py --build $(O)

soak: soak-life
soak-life: all
	$(Q)python3 test/life/leave.py --build $(O) --n $(LEAVE_N)

.PHONY: check-life soak soak-life
