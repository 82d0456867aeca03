# SPDX-License-Identifier: MIT
# kill.mk - programs are killed at random moments: check-kill; soak: the same, for long.

CHECKS += check-kill
KILL_N ?= 60
SOAK_N ?= 1000

check-kill: all $$(RUNTIME_SO)
	$(Q)python3 test/kill/check.py --build $(O) --n $(KILL_N)

soak: all $$(RUNTIME_SO)
	$(Q)python3 test/kill/check.py --build $(O) --n $(SOAK_N)

.PHONY: check-kill soak
