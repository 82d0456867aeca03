# SPDX-License-Identifier: MIT
# kill.mk - programs, and who records them, are killed at random moments: check-kill; soak: the same,
# for long.

CHECKS += check-kill
KILL_N ?= 60
SOAK_N ?= 1000
SOAK_DEATHS ?= 2000

$(O)/kill/tasks $(O)/kill/orders: $(O)/kill/%: test/kill/%.c
	@mkdir -p $(@D)
	$(Q)gcc -O1 -g -fopenmp -o $@ $<

$(O)/kill/stuck.so $(O)/kill/deaf.so: $(O)/kill/%.so: test/kill/%.c
	@mkdir -p $(@D)
	$(Q)gcc -O1 -g -D_GNU_SOURCE -shared -fPIC -o $@ $<

$(O)/kill/hostile: test/kill/hostile.c $(OBJ_BOTH)
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^

# A build that stops where a test wants it to: what has points is compiled again, the rest is the same.
POINTED := $(shell grep -ls 'session/point.h\|inside_state.h' preload/*.c preload/*/*.c collector/*/*.c tools/launch/*.c)
with_points = $(foreach c,$(1),$(if $(filter $(c),$(POINTED)),$(O)/points/$(2)/$(c:.c=.o),$(O)/$(2)/$(c:.c=.o)))
BOTH_C = $(foreach room,$(BOTH),$(wildcard $(room)/*.c))
$(O)/points/pic/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) -DTEST_POINTS -DINSIDE $(OUR_CFLAGS) $(SHIM_CFLAGS) $(CFLAGS) $(NO_ABORTS) -MMD -MP -c -o $@ $<
$(O)/points/obj/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) -DTEST_POINTS -DNAMES_STILL_S=3u $(OUR_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$(O)/points/libtptrace.so: $(call with_points,$(PRELOAD) $(INSIDE) $(BOTH_C),pic) $(O)/points/pic/test/kill/point.o $(SHIM_SO)
	$(Q)$(CC) $(SHIM_LDFLAGS) -Wl,-z,initfirst $(OWN_HEAP) $(LDFLAGS) -o $@ $(filter %.o,$^) $(ZSTD_STATIC) -lpthread -ldl
	$(Q)cp $(SHIM_SO) $(@D)
$(O)/points/tptrace: $(call with_points,$(TOOLS) $(OUTSIDE) $(RECORD_ASKS) $(BOTH_C),obj) $(O)/points/obj/test/kill/point.o
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ZSTD_LIBS) $(DW_LIBS) -lpthread -ldl -lm
POINTS := $(O)/points/tptrace $(O)/points/libtptrace.so

check-kill: all $$(RUNTIME_SO) $(O)/kill/tasks $(O)/kill/orders $(O)/kill/hostile $(O)/kill/stuck.so $(O)/kill/deaf.so $(POINTS)
	$(Q)python3 test/kill/record.py --build $(O)
	$(Q)python3 test/kill/check.py --build $(O) --n $(KILL_N)
	$(Q)python3 test/kill/orders.py --build $(O)
	$(Q)python3 test/kill/deaths.py --build $(O)
	$(Q)python3 test/kill/points.py --build $(O)
	$(Q)python3 test/kill/stands.py --build $(O)
	$(Q)python3 test/kill/lost.py --build $(O)
	$(Q)python3 test/kill/recover.py --build $(O) --n 25
	$(Q)python3 test/kill/family.py --build $(O)
	$(Q)python3 test/kill/hostile.py --build $(O)

soak: all $$(RUNTIME_SO)
	$(Q)python3 test/kill/check.py --build $(O) --n $(SOAK_N)
	$(Q)python3 test/kill/deaths.py --build $(O) --long --n $(SOAK_DEATHS)
	$(Q)python3 test/kill/recover.py --build $(O) --n 1000
	$(Q)python3 test/kill/family.py --build $(O) --n 1000 --load 30

.PHONY: check-kill soak
