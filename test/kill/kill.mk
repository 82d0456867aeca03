# SPDX-License-Identifier: MIT
# kill.mk - programs, and who records them, are killed at random moments: check-kill; soak: the same,
# for long.

CHECKS += check-kill
KILL_N ?= 60
SOAK_N ?= 1000
SOAK_DEATHS ?= 2000

$(O)/kill/tasks: test/kill/tasks.c
	@mkdir -p $(@D)
	$(Q)gcc -O1 -g -fopenmp -o $@ $<

$(O)/kill/stuck.so: test/kill/stuck.c
	@mkdir -p $(@D)
	$(Q)gcc -O1 -g -D_GNU_SOURCE -shared -fPIC -o $@ $<

$(O)/kill/hostile: test/kill/hostile.c $(OBJ_BOTH)
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^

check-kill: all $$(RUNTIME_SO) $(O)/kill/tasks $(O)/kill/hostile $(O)/kill/stuck.so
	$(Q)python3 test/kill/waiting.py
	$(Q)python3 test/kill/record.py --build $(O)
	$(Q)python3 test/kill/check.py --build $(O) --n $(KILL_N)
	$(Q)python3 test/kill/deaths.py --build $(O)
	$(Q)python3 test/kill/stands.py --build $(O)
	$(Q)python3 test/kill/recover.py --build $(O) --n 25
	$(Q)python3 test/kill/hostile.py --build $(O)

soak: all $$(RUNTIME_SO)
	$(Q)python3 test/kill/check.py --build $(O) --n $(SOAK_N)
	$(Q)python3 test/kill/deaths.py --build $(O) --long --n $(SOAK_DEATHS)
	$(Q)python3 test/kill/recover.py --build $(O) --n 1000

.PHONY: check-kill soak
