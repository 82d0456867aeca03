# SPDX-License-Identifier: MIT
# control.mk - starts and stops, phases, bounds and losses, and storms of them: check-control; soak: more storms.

CHECKS   += check-control
LOSSES_N ?= 2000
STORMS_N ?= 10
SOAK_STORMS_N ?= 500

check-control: all $$(RUNTIME_SO)
	$(Q)python3 test/control/losses.py --tptrace $(O)/tptrace --n $(LOSSES_N)
	$(Q)python3 test/control/check.py --build $(O)
	$(Q)python3 test/control/top.py --build $(O)
	$(Q)python3 test/control/storms.py --build $(O) --n $(STORMS_N)

soak: soak-storms
soak-storms: all $$(RUNTIME_SO)
	$(Q)python3 test/control/storms.py --build $(O) --n $(SOAK_STORMS_N)

.PHONY: check-control soak soak-storms
