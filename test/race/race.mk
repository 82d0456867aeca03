# SPDX-License-Identifier: MIT
# race.mk - the checks that need other builds, or valgrind: check-race, check-sanitize,
# check-valgrind, check-clang.

CHECKS += check-valgrind

RACE       := $(addprefix $(O)/race/,recorder_race pool_race pool_race_shelf told_race chunk_race \
	chunk_race_commit chunk_race_take)
# Without optimization compiling takes a third of the time, and no access is optimized away.
TSAN_FLAGS := -O0 -g1 -fsanitize=thread
ASAN_FLAGS := -Og -g1 -fsanitize=address,undefined -fno-sanitize-recover
PROP_FEW   ?= 250

# gcc 12's tool wants less address space randomness than newer kernels give.
RACE_RUN := TSAN_OPTIONS=halt_on_error=1:exitcode=66 \
	$$(setarch -R true 2>/dev/null && echo setarch -R)

$(O)/race/recorder_race: test/race/recorder_race.c collector/outside/serve.c collector/outside/client.c collector/outside/death_notice.c $(PRELOAD) $(INSIDE) \
		$(foreach room,$(BOTH),$(wildcard $(room)/*.c)) $(wildcard preload/*.h preload/*/*.h collector/*/*.h)
	@mkdir -p $(@D)
	$(Q)gcc $(OUR_CPPFLAGS) $(ZSTD_CFLAGS) $(OUR_CFLAGS) $(TSAN_FLAGS) -o $@ \
		$(filter %.c,$^) $(ZSTD_LIBS) -lpthread

$(O)/race/told_race: test/race/told_race.c $(PRELOAD) $(wildcard collector/session/*.c preload/*.h collector/session/*.h)
	@mkdir -p $(@D)
	$(Q)gcc $(OUR_CPPFLAGS) $(OUR_CFLAGS) $(TSAN_FLAGS) -o $@ $(filter %.c,$^) -lpthread

# _commit lacks the release store of a worker's events, _take that of a chunk's word; x86 itself would not: there a
# plain store is one already.
$(O)/race/broken/preload/worker.h: preload/worker.h
	@mkdir -p $(@D)
	$(Q)sed 's/head + store.n, memory_order_release/head + store.n, memory_order_relaxed/' $< >$@
$(O)/race/broken/chunk.c: collector/session/chunk.c
	@mkdir -p $(@D)
	$(Q)sed 's/memory_order_acq_rel/memory_order_relaxed/' $< >$@
CHUNK_RACE := test/race/chunk_race.c $(PRELOAD) $(foreach room,$(BOTH) tools/trace,$(wildcard $(room)/*.c))
$(O)/race/chunk_race: $(CHUNK_RACE)
$(O)/race/chunk_race_commit: $(CHUNK_RACE) $(O)/race/broken/preload/worker.h
$(O)/race/chunk_race_commit: RACE_FLAGS := -I$(O)/race/broken
$(O)/race/chunk_race_take: $(filter-out collector/session/chunk.c,$(CHUNK_RACE)) $(O)/race/broken/chunk.c
$(O)/race/chunk_race $(O)/race/chunk_race_commit $(O)/race/chunk_race_take: $(wildcard preload/*.h preload/*/*.h collector/*/*.h tools/trace/*.h)
	@mkdir -p $(@D)
	$(Q)gcc $(RACE_FLAGS) $(OUR_CPPFLAGS) $(ZSTD_CFLAGS) -DTEST_POINTS $(OUR_CFLAGS) $(TSAN_FLAGS) \
		-o $@ $(filter %.c,$^) $(ZSTD_LIBS) -lpthread

$(O)/race/pool_race_shelf: RACE_FLAGS := -DBREAK_SHELF
$(O)/race/pool_race $(O)/race/pool_race_shelf: test/race/pool_race.c shims/common/pool.c shims/common/pool.h \
		preload/budget.c collector/session/cgroup.c collector/session/proc.c
	@mkdir -p $(@D)
	$(Q)gcc $(OUR_CPPFLAGS) $(OUR_CFLAGS) $(TSAN_FLAGS) $(RACE_FLAGS) -o $@ $< \
		$(filter preload/% collector/%,$^) -lpthread

# Chunks are without races, and would not be without either of their release stores; nor would a pool
# be without its own.  Nor has a session that moves, nor the report of one trace on several threads,
# any.
check-race: $(RACE) $(O)/tptrace
	$(Q)$(RACE_RUN) $(O)/race/pool_race
	$(Q)$(RACE_RUN) $(O)/race/told_race
	$(Q)$(RACE_RUN) $(O)/race/chunk_race $(O)/race/chunk.tpt
	$(Q)for broken in chunk_race_commit chunk_race_take pool_race_shelf; do \
		if $(RACE_RUN) $(O)/race/$$broken $(O)/race/chunk.tpt >$(O)/race/$$broken.txt 2>&1 || \
			! grep -q 'data race' $(O)/race/$$broken.txt; then \
			echo "the missing release in $$broken is not noticed"; exit 1; \
		fi; done
	@rm -f $(O)/race/trace.tpt
	$(Q)TPTRACE_OUTPUT=$(O)/race/trace.tpt $(RACE_RUN) $(O)/race/recorder_race
	$(Q)$(O)/tptrace report --strict $(O)/race/trace.tpt >$(O)/race/report.txt
	@rm -f $(O)/race/small.tpt # rings that are full all the time
	$(Q)TPTRACE_BUFFER=4096 TPTRACE_COLLECTOR_THREADS=3 TPTRACE_OUTPUT=$(O)/race/small.tpt \
		$(RACE_RUN) $(O)/race/recorder_race
	$(Q)$(O)/tptrace report --strict $(O)/race/small.tpt >$(O)/race/report.txt
	@rm -f $(O)/race/drop.tpt # and that are not waited for: there may be losses
	$(Q)TPTRACE_BUFFER=4096 TPTRACE_OVERFLOW=drop TPTRACE_OUTPUT=$(O)/race/drop.tpt $(RACE_RUN) $(O)/race/recorder_race
	$(Q)$(O)/tptrace report $(O)/race/drop.tpt >$(O)/race/report.txt
	@rm -f $(O)/race/out*.tpt
	$(Q)TPTRACE_OUTPUT=$(O)/race/out%p.tpt TPTRACE_COLLECTOR_THREADS=2 \
		$(RACE_RUN) $(O)/race/recorder_race outside
	$(Q)for t in $(O)/race/out*.tpt; do $(O)/tptrace info $$t | grep -q '^ended: cleanly' && \
		! $(O)/tptrace info $$t | grep -q '^ring:' && \
		$(O)/tptrace report --strict $$t >$(O)/race/report.txt || exit 1; done

	$(Q)$(MAKE) --no-print-directory O=$(O)-tsan CC=gcc CFLAGS='$(TSAN_FLAGS)' \
		LDFLAGS='$(TSAN_FLAGS)' $(O)-tsan/tptrace $(O)-tsan/bench/synth
	$(Q)$(RACE_RUN) python3 test/many/threads.py --build $(O)-tsan --few

# With address and undefined: the tools and the unit tests, then the recorder and the shims in
# programs that are built without; gcc's library wants to be the first that is preloaded, and the
# stand-ins, which make stacks of their own, are better without.  Their tasks change threads, so no
# frame may lie in memory of a thread's own, as since gcc 14.  Flags in LDFLAGS too, for the .so.
# Unit tests that include a source have their own of what the recorder exports to probes (libc).
ASAN_MAKE = $(MAKE) --no-print-directory O=$(O)-asan CC=gcc CFLAGS='$(ASAN_FLAGS)' \
	LDFLAGS='$(ASAN_FLAGS)' PROP_N=$(PROP_FEW) CUTS_N=60 \
	FREEZE_SAMPLE=64
check-sanitize: $$(RUNTIME_SO)
	$(Q)ASAN_OPTIONS=allocator_may_return_null=1:detect_odr_violation=0 \
		LSAN_OPTIONS=suppressions=$(abspath test/race/leaks.txt):print_suppressions=0 \
		$(ASAN_MAKE) check-unit check-golden check-prop
	$(Q)python3 test/many/report.py --build $(O)-asan
	@ln -sfn $(abspath $(O)/runtime) $(O)-asan/runtime
	$(Q)ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0 \
		python3 test/port/check.py --build $(O)-asan --workers 2 --program fib \
		--program wave --preload-before $$(gcc -print-file-name=libasan.so)

# The tools on golden traces, good and bad, as text and as files: no use of what was never set, and
# no leak, but "possibly" glibc's memory for the thread that watches for signals to the end.  An error
# of the trace is 1, one of ours 9.
VALGRIND      := valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
	--show-leak-kinds=definite
VALGRIND_GOOD := $(wildcard test/golden/report/*.txt)
VALGRIND_BAD  := $(wildcard test/golden/bad/*.txt)
VALGRIND_FILE  = $(O)/valgrind/x.tpt

$(O)/valgrind/each: $(call obj,test/race/each.c) $(O)/tools.a $(OBJ_BOTH)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ZSTD_LIBS) $(DW_LIBS) -lpthread -ldl -lm

check-valgrind: all $(O)/valgrind/each
	$(Q)command -v valgrind >/dev/null || { echo "skip check-valgrind: no valgrind"; exit 0; }; \
		for args in "valgrind/each --json -- $(VALGRIND_GOOD)" "valgrind/each --by site -- $(VALGRIND_GOOD)" \
				"valgrind/each -- $(VALGRIND_BAD)" "tptrace report --each $(wordlist 1,2,$(VALGRIND_GOOD))" "tptrace load -o $(VALGRIND_FILE) $(firstword $(VALGRIND_GOOD))" \
				"tptrace dump $(VALGRIND_FILE)" "tptrace info $(VALGRIND_FILE)" "tptrace report --csv $(VALGRIND_FILE)"; do \
			$(VALGRIND) $(O)/$$args >$(O)/valgrind/out.txt 2>$(O)/valgrind/err.txt; \
			if [ $$? -gt 1 ] || grep -q '^==' $(O)/valgrind/err.txt; then \
				echo "$$args"; cat $(O)/valgrind/err.txt; exit 1; fi; done

# All of it by clang, without a warning.
check-clang:
	$(Q)$(MAKE) --no-print-directory O=$(O)-clang CC=clang CFLAGS='-O2 -Werror' FEW=1 FREEZE_SAMPLE=64 all check-golden

.PHONY: check-race check-sanitize check-valgrind check-clang
