# SPDX-License-Identifier: MIT
# control.mk - starts and stops, phases, bounds and losses: check-control.

CHECKS   += check-control
LOSSES_N ?= 2000

check-control: all $$(RUNTIME_SO)
	$(Q)python3 test/control/losses.py --tptrace $(O)/tptrace --n $(LOSSES_N)
	$(Q)python3 test/control/check.py --build $(O)

.PHONY: check-control
