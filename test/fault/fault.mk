# SPDX-License-Identifier: MIT
# fault.mk - the check that every call of the recorder's may fail: check-fault.  FAULT_MOST is how
# many places of a call and an error are tried, 0 for all.

CHECKS += check-fault
FAULT_MOST ?= 12

$(O)/fault/libfault.so: test/fault/fault.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -shared -fPIC -fvisibility=hidden $(OUR_CPPFLAGS) $(OUR_CFLAGS) -o $@ $< -ldl

$(O)/fault/work: test/fault/work.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -fopenmp -o $@ $<

$(O)/fault/foreign: test/fault/foreign.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -fopenmp -o $@ $<

check-fault: all $$(RUNTIME_SO) $(O)/fault/libfault.so $(O)/fault/work $(O)/fault/foreign
	$(Q)python3 test/fault/moves.py --build $(O)
	$(Q)python3 test/fault/memory.py --build $(O) --short --tasks 150000
	$(Q)python3 test/fault/check.py --build $(O) --most $(FAULT_MOST)

soak-memory: all $$(RUNTIME_SO)
	$(Q)python3 test/fault/memory.py --build $(O)

soak: soak-memory

.PHONY: check-fault soak-memory
