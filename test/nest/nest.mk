# SPDX-License-Identifier: MIT
# nest.mk - nested OpenMP regions, again and again; a soak: check-corpus runs each program once.

NEST_N ?= 100

soak: soak-nested
soak-nested: all libomps
	$(Q)python3 test/nest/check.py --build $(O) --n $(NEST_N)

.PHONY: soak-nested
