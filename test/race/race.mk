# SPDX-License-Identifier: MIT
# race.mk - the checks that need other builds: check-race, check-sanitize, check-clang.

RACE       := $(addprefix $(O)/race/,ring_race ring_race_commit ring_race_take recorder_race)
TSAN_FLAGS := -O1 -g -fsanitize=thread
ASAN_FLAGS := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover
PROP_FEW   ?= 500

# gcc 12's tool wants less address space randomness than newer kernels give.
RACE_RUN := TSAN_OPTIONS=halt_on_error=1:exitcode=66 \
	$$(setarch -R true 2>/dev/null && echo setarch -R)

$(O)/race/ring_race_commit: RACE_FLAGS := -DBREAK_COMMIT
$(O)/race/ring_race_take: RACE_FLAGS := -DBREAK_TAKE
$(O)/race/ring_race $(O)/race/ring_race_commit $(O)/race/ring_race_take: \
		test/race/ring_race.c $(PRELOAD) $(wildcard preload/*.h)
	@mkdir -p $(@D)
	$(Q)gcc $(OUR_CPPFLAGS) $(OUR_CFLAGS) $(TSAN_FLAGS) $(RACE_FLAGS) -o $@ \
		$(filter %.c,$^) -lpthread
$(O)/race/recorder_race: test/race/recorder_race.c collector/serve.c $(PRELOAD) $(INPROC) \
		$(wildcard preload/*.h collector/*.h)
	@mkdir -p $(@D)
	$(Q)gcc $(OUR_CPPFLAGS) $(ZSTD_CFLAGS) $(OUR_CFLAGS) $(TSAN_FLAGS) -o $@ \
		$(filter %.c,$^) $(ZSTD_LIBS) -lpthread

# The rings are without races, and would not be without either of their release stores.
check-race: $(RACE) $(O)/tptrace
	$(Q)$(RACE_RUN) $(O)/race/ring_race
	$(Q)for broken in commit take; do \
		if $(RACE_RUN) $(O)/race/ring_race_$$broken >$(O)/race/$$broken.txt 2>&1 || \
			! grep -q 'data race' $(O)/race/$$broken.txt; then \
			echo "the missing release in ring_race_$$broken is not noticed"; exit 1; \
		fi; done
	@rm -f $(O)/race/trace.tpt
	$(Q)TPTRACE_OUTPUT=$(O)/race/trace.tpt $(RACE_RUN) $(O)/race/recorder_race
	$(Q)$(O)/tptrace report --strict $(O)/race/trace.tpt >$(O)/race/report.txt
	@rm -f $(O)/race/out*.tpt
	$(Q)TPTRACE_OUTPUT=$(O)/race/out%p.tpt $(RACE_RUN) $(O)/race/recorder_race outside
	$(Q)for t in $(O)/race/out*.tpt; do $(O)/tptrace info $$t | grep -q '^ended: cleanly' && \
		! $(O)/tptrace info $$t | grep -q '^ring' && \
		$(O)/tptrace report --strict $$t >$(O)/race/report.txt || exit 1; done

# The tools and the unit tests with address and undefined; flags in LDFLAGS too, for the .so.
check-sanitize:
	$(Q)ASAN_OPTIONS=allocator_may_return_null=1 $(MAKE) --no-print-directory O=$(O)-asan CC=gcc \
		CFLAGS='$(ASAN_FLAGS)' LDFLAGS='$(ASAN_FLAGS)' PROP_N=$(PROP_FEW) \
		check-unit check-golden check-prop

# All of it by clang, without a warning.
check-clang:
	$(Q)$(MAKE) --no-print-directory O=$(O)-clang CC=clang CFLAGS='-O2 -Werror' all check-golden

.PHONY: check-race check-sanitize check-clang
