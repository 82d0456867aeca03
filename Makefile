# SPDX-License-Identifier: MIT
# Makefile - the whole of tptrace.  `make help` lists what it can do.

O      ?= build
,      := ,
hash   := \#
CC     ?= cc
CFLAGS ?= -O2 -g

OUR_CPPFLAGS := -I. -D_GNU_SOURCE
OUR_CFLAGS   := -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
SHIM_CFLAGS  := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fexceptions -fno-plt
# Distributions build with checks that abort: not in somebody else's process, of which some run on other stacks.
NO_ABORTS    := -fno-stack-protector -U_FORTIFY_SOURCE
SHIM_LDFLAGS := -shared -Wl,-z,now -Wl,-z,relro -Wl,--no-undefined
VERSIONS := -Wl,--version-script=shims/common/versions.map
# What there is no tptrace without: of zstd the static library, too, which Fedora has in libzstd-static.
has     = $(shell pkg-config --exists $(1) 2>/dev/null && echo $(1))
library = $(firstword $(wildcard $(patsubst -L%,%/$(2),$(filter -L%,$(LDFLAGS) $(shell pkg-config --libs-only-L $(1) 2>/dev/null)))) \
	$(shell $(CC) -print-file-name=$(2)))
LACKS   := $(strip $(if $(shell command -v pkg-config),,pkg-config) $(foreach n,libzstd libdw libelf zlib,$(if $(call has,$(n)),,$(n))) \
	$(if $(findstring /,$(call library,libzstd,libzstd.a)),,libzstd.a))
$(if $(and $(LACKS),$(filter-out clean help dist uninstall,$(or $(MAKECMDGOALS),all))),$(error \
	not installed: $(LACKS) (the files for development; on Debian scripts/install-deps installs them)))

ZSTD_CFLAGS  := $(shell pkg-config --cflags libzstd)
ZSTD_LIBS    := $(shell pkg-config --libs libzstd)
# In the traced process zstd is our own, or a program that has another would have its calls mixed up.
ZSTD_STATIC  := -Wl,--exclude-libs,libzstd.a -Wl,-Bstatic $(ZSTD_LIBS) -Wl,-Bdynamic
# Nor is the program's memory for the recorder: heap.h says why.
OWN_HEAP     := $(patsubst %,-Wl$(,)--wrap=%,malloc calloc realloc free strdup)
DW_LIBS      := $(shell pkg-config --libs libdw libelf zlib)

# Libraries that one command each needs are loaded by it (tools/base/late.h), and left out where their headers are
# not: then `plot`, or a format of `export`, says that the build lacks it.
soname = $(shell objdump -p $(call library,$(1),lib$(2).so) | awk '$$1 == "SONAME" { print $$2 }')
late = $(shell pkg-config --cflags $(1)) -D$(3)='"$(or $(call soname,$(1),$(2)),lib$(2).so)"'
CAIRO  := $(call has,cairo)
SQLITE := $(call has,sqlite3)
OTF2   := $(call has,otf2)
LACKED := $(if $(CAIRO),tools/plot/no_draw.c,tools/plot/draw.c) \
	$(if $(SQLITE),tools/export/no_sqlite.c,tools/export/to_sqlite.c) \
	$(if $(OTF2),tools/export/no_otf2.c,tools/export/to_otf2.c tools/export/otf2_defs.c tools/export/otf2_lib.c)

# What is built, room by room.  BOTH are libraries, which both the recorder (pic) and the tools (obj)
# link, each before those that it calls.  Nothing else is compiled twice.
BOTH      := $(addprefix collector/,talk drain definitions collapse session trace)
PRELOAD   := $(wildcard preload/*.c)
INSIDE    := $(wildcard preload/inside/*.c)
# What is off by default, each a shared object that is preloaded where it is asked for; of counters, record looks at the names.
PROBES    := counters callpath itt libcalls marks slow timer virtual
PROBE_SO  := $(PROBES:%=$(O)/libtpprobe_%.so)
PROBE_WITH_slow    := preload/probes/kind_list.c
PROBE_WITH_virtual := preload/probes/kind_list.c collector/session/futex.c collector/session/proc.c
RECORD_ASKS := preload/probes/counters/counters.c preload/probes/counters/papi.c
OUTSIDE   := $(wildcard collector/outside/*.c)
SHIM_COMMON := $(addprefix shims/common/,bypass.c callsite.c exits.c linkage.c next.c)
ASIDE       := $(addprefix shims/common/,aside.c aside_pool.c pool.c)
SHIM_omp    := $(wildcard shims/gomp/*.c shims/ompt/*.c) $(ASIDE)
SHIM_tbb    := $(wildcard shims/tbb/*.c shims/tbb/nodes/*.c) shims/common/waiters.c $(ASIDE)
SHIM_qth    := $(wildcard shims/qth/*.c) shims/common/pool.c shims/common/memo.c
SHIM_mth    := $(filter-out shims/mth/mthdl.c,$(wildcard shims/mth/*.c)) shims/common/pool.c
SHIM_mthdl  := $(addprefix shims/mth/,mthdl.c mth_run.c) shims/common/pool.c
SHIM_starpu := $(wildcard shims/starpu/*.c) shims/common/memo.c
SHIM_pthread := $(wildcard shims/pthread/*.c) shims/common/waiters.c
SHIM_cilk   := $(wildcard shims/cilk/*.c)
SHIM_mpi    := $(wildcard shims/mpi/*.c) shims/common/waiters.c
SHIM_device := $(wildcard shims/device/*.c)
SHIM_abt    := $(wildcard shims/abt/*.c) shims/common/pool.c
SHIM_task   := $(wildcard shims/task/*.c)
# What record preloads; and in one, as a program starts sooner so: the first one's constructors run first, as the last
# one's that is preloaded.
PRELOADED := omp tbb qth mth starpu cilk abt task mpi pthread
once       = $(if $1,$(firstword $1) $(call once,$(filter-out $(firstword $1),$1)))
reverse    = $(if $1,$(call reverse,$(wordlist 2,$(words $1),$1)) $(firstword $1))
SHIM_all  := $(call once,$(foreach s,$(call reverse,$(PRELOADED)),$(SHIM_$(s))))
SHIMS     := $(PRELOADED) mthdl device all
SHIM_SO   := $(SHIMS:%=$(O)/libtpshim_%.so)
TOOLS     := $(filter-out tools/mpi/% $(LACKED),$(wildcard tools/*.c tools/*/*.c tools/*/*/*.c))
# Built where mpicc is.  It analyses nothing, so it is not checked with the sanitizers of CFLAGS: MPI leaks.
MPICC     ?= $(shell command -v mpicc 2>/dev/null)
MPI_RELAY := $(if $(MPICC),$(O)/tptrace-mpi)

pic = $(patsubst %.c,$(O)/pic/%.o,$(1))
obj = $(patsubst %.c,$(O)/obj/%.o,$(1))
PIC_BOTH := $(BOTH:%=$(O)/pic/%.a)
OBJ_BOTH := $(BOTH:%=$(O)/obj/%.a)

all: $(O)/libtptrace.so $(SHIM_SO) $(PROBE_SO) $(O)/tptrace $(O)/tptrace-report $(MPI_RELAY) $(O)/completion/tptrace $(O)/completion/_tptrace

$(O)/libtptrace.so: $(call pic,$(PRELOAD) $(INSIDE)) $(PIC_BOTH)
	$(Q)$(CC) $(SHIM_LDFLAGS) -Wl,-z,initfirst $(OWN_HEAP) $(LDFLAGS) -o $@ $^ $(ZSTD_STATIC) -lpthread -ldl

.SECONDEXPANSION:
$(SHIM_SO): $(O)/libtpshim_%.so: $$(call pic,$(SHIM_COMMON) $$(SHIM_$$*)) $(O)/libtptrace.so
	$(Q)$(CC) $(SHIM_LDFLAGS) $(VERSIONS) $(LDFLAGS) '-Wl,-rpath,$$ORIGIN' -o $@ $(filter %.o,$^) \
		-L$(O) -ltptrace -ldl

$(PROBE_SO): $(O)/libtpprobe_%.so: $$(call pic,$$(wildcard preload/probes/$$*/*.c) $$(PROBE_WITH_$$*)) $(O)/libtptrace.so
	$(Q)$(CC) $(SHIM_LDFLAGS) $(LDFLAGS) '-Wl,-rpath,$$ORIGIN' -o $@ $(filter %.o,$^) -Wl,--as-needed -L$(O) -ltptrace -ldl

$(O)/tptrace: $(call obj,$(TOOLS) $(OUTSIDE) $(RECORD_ASKS)) $(OBJ_BOTH)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ZSTD_LIBS) $(DW_LIBS) -lpthread -ldl -lm

$(PIC_BOTH): $(O)/pic/%.a: $$(call pic,$$(wildcard $$*/*.c))
$(OBJ_BOTH): $(O)/obj/%.a: $$(call obj,$$(wildcard $$*/*.c))
$(PIC_BOTH) $(OBJ_BOTH):
	$(Q)rm -f $@ && ar rcs $@ $^

# Two words that were stored one by one, loaded as one, cost more than they save; or stored as one, two registers that
# are to be put together first.
$(O)/pic/collector/collapse/collapse_plain.o $(O)/obj/collector/collapse/collapse_plain.o: OUR_CFLAGS += -fno-tree-slp-vectorize
$(O)/pic/shims/%.o: OUR_CFLAGS += -fno-tree-slp-vectorize
# A callback or a stand-in has the parameters that its runtime's ABI says, whether it looks at them or not.
$(O)/pic/shims/%.o $(O)/pic/preload/probes/marks/%.o: OUR_CFLAGS += -Wno-unused-parameter

$(O)/obj/tools/launch/shims.o: OUR_CPPFLAGS += '-DSHIM_FILES=$(PRELOADED:%="libtpshim_%.so"$(,))'
$(O)/obj/tools/launch/shims.o: Makefile
$(O)/obj/tools/plot/draw.o: OUR_CPPFLAGS += $(call late,cairo,cairo,CAIRO_LIBRARY)
$(O)/obj/tools/export/to_sqlite.o: OUR_CPPFLAGS += $(call late,sqlite3,sqlite3,SQLITE_LIBRARY)
$(O)/obj/tools/export/otf2_lib.o $(O)/obj/tools/export/otf2_defs.o $(O)/obj/tools/export/to_otf2.o: OUR_CPPFLAGS += $(call late,otf2,open-trace-format2,OTF2_LIBRARY)

$(O)/tptrace-report: $(O)/tptrace
	@ln -sf tptrace $@

$(O)/tptrace-mpi: tools/mpi/relay.c tools/mpi/frame.h
	@mkdir -p $(@D)
	$(Q)OMPI_CC="$(CC)" $(MPICC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(filter-out -fsanitize%,$(CFLAGS)) \
		$(filter-out -fsanitize%,$(LDFLAGS)) -o $@ $<

$(O)/completion/tptrace: $(O)/tptrace
	@mkdir -p $(@D)
	$(Q)$< completion bash >$@
$(O)/completion/_tptrace: $(O)/tptrace
	@mkdir -p $(@D)
	$(Q)$< completion zsh >$@

$(O)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(SHIM_CFLAGS) $(CFLAGS) $(NO_ABORTS) -fstack-usage -MMD -MP -c -o $@ $<
$(O)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# ---- tests ----

# Some include sources beside each other, whose names are then all one's own.
$(O)/obj/test/unit/%.o: private OUR_CFLAGS += -Wno-shadow
# A test has cmocka's parameter and a stand-in those of its runtime, whether it looks at them or not.
$(O)/obj/test/%.o $(O)/pic/test/%.o: private OUR_CFLAGS += -Wno-unused-parameter

# chunk_test's coroutines jump between stacks that AddressSanitizer does not know.
SANITIZED := $(filter -fsanitize%,$(CFLAGS))
UNIT := $(patsubst test/unit/%_test.c,$(O)/unit/%_test,$(filter-out \
	$(SANITIZED:%=test/unit/chunk_test.c),$(wildcard test/unit/*_test.c)))

CHECKS := check-static check-unit check-golden check-prop check-corpus check-live check-race \
	check-sanitize check-clang

# Those that have no bound which others break run beside each other (make -j2), the longest first, all of them even if one
# fails; at last the others one after the other: some use all cores themselves, others need a quiet one.
BESIDE := check-sanitize check-prop check-view check-clang check-record check-race check-valgrind check-collapse \
	check-fuzz check-names check-unit check-model check-scripts check-export check-static check-golden check-many \
	check-diff check-dags check-counters check-port check-probe check-format check-plot check-packages check-predict \
	check-task check-bots check-toy check-device check-itt check-adapters
# s, after which they stand still: they are many
BESIDE_SECONDS := 3600
# Then those that mostly wait, and may be tried again, beside each other.
PAIRED := check-kill check-mpi check-life check-fault check-pthread check-stack check-machine check-virtual check-slow

# How often a check may be run until it passes, if test/unsteady names it; all others are run once.  What needs more than
# one run is said at the end, and what was skipped: what test/skips does not name fails where CI is set, or SKIPS=strict.
TRIES ?= 1
TRY_SECONDS ?= $(if $(filter-out 1,$(TRIES)),1200)
UNSTEADY := $(shell sed -n 's/^\(check-[a-z]*\) .*/\1/p' test/unsteady)
SECOND := $(O)/second_try.txt
SAID := $(O)/said.txt
try = SAID=$(SAID) TRY_SECONDS=$(2) scripts/tries $(1) $(SECOND) $(MAKE) --no-print-directory

check: all
	@rm -f $(SECOND) $(SAID)
	@echo "== $(BESIDE)"
	+$(Q)failed=; $(call try,1,$(if $(TRY_SECONDS),$(BESIDE_SECONDS))) --output-sync=target --keep-going $(BESIDE) || \
		failed=" some of these"; \
	echo "== $(PAIRED)"; $(MAKE) --no-print-directory --output-sync=target --keep-going $(PAIRED:%=tried-%) || \
		failed="$$failed some of $(PAIRED)"; \
	for c in $(filter-out $(BESIDE) $(PAIRED),$(CHECKS)); do echo "== $$c"; \
		$(MAKE) --no-print-directory tried-$$c || failed="$$failed $$c"; done; \
	scripts/skips --log $(SAID) test/skips || failed="$$failed scripts/skips"; \
	if test "$$failed"; then echo "failed:$$failed"; else echo "all checks passed"; fi; \
	! test -e $(SECOND) || { echo "passed only at the second try, which is a defect:"; cat $(SECOND); }; \
	test -z "$$failed"

tried-%:
	+$(Q)$(call try,$(if $(filter $*,$(UNSTEADY)),$(TRIES),1),$(TRY_SECONDS)) $*

check-static: headers rooms limits symbols tls frames fences documented grammar kinds javascript

# Every header compiles alone, and what stands in for a missing library; the headers of test/port, work/abt, bench/bots and
# bench/tiles are parts of programs.
headers:
	$(Q)for h in $$(find preload shims collector tools test -name '*.h' ! -path 'test/port/*' ! -path 'test/work/abt/*' ! -path 'test/bench/bots/*' ! -path 'test/bench/tiles/*' ! -path '*/node_modules/*' $(if $(OTF2),,! -name 'otf2_*.h')); do \
		$(CC) $(OUR_CPPFLAGS) $(OUR_CFLAGS) -Werror -fsyntax-only -include $$h -xc /dev/null || exit 1; done
	$(Q)$(CC) $(OUR_CPPFLAGS) $(OUR_CFLAGS) -Werror -fsyntax-only tools/*/no_*.c

# Rooms include and call only the rooms before them.
rooms: all
	$(Q)scripts/rooms --build $(O)

# Rooms, files, functions and more are no larger than scripts/limits.txt lets them be.
limits:
	$(Q)scripts/limits

# The tables of FORMAT.md are what the lists of kinds and words say.
grammar:
	$(Q)scripts/grammar

# Options and variables are documented, and what is documented exists.
documented: $(O)/tptrace
	$(Q)scripts/documented --tptrace $<

# What the shared objects export, and what the shims may call.
symbols: $(O)/libtptrace.so $(SHIM_SO) $(PROBE_SO)
	$(Q)for so in $^; do scripts/symbols $$so | diff test/golden/symbols/$$(basename $$so).txt - || exit 1; done

# Static thread-local storage is scarce.
tls: $(O)/libtptrace.so $(SHIM_SO) $(PROBE_SO)
	$(Q)scripts/tls $^

# No frame is large in what the traced process runs.
frames: $(O)/libtptrace.so $(SHIM_SO) $(PROBE_SO)
	$(Q)scripts/frames --build $(O) $^

# Who notes that a lock is taken or released fences the clock.
fences: $(SHIM_SO)
	$(Q)scripts/fences $^

# All that tptrace is made of but main(), of which a test is linked with what it calls.
$(O)/tools.a: $(call obj,$(filter-out tools/main.c,$(TOOLS)) $(OUTSIDE) $(RECORD_ASKS))
	$(Q)rm -f $@ && ar rcs $@ $^

$(O)/unit/%_test: $(O)/obj/test/unit/%_test.o $(O)/obj/test/lib/test.o $(O)/tools.a $(OBJ_BOTH) $(O)/libtptrace.so
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) '-Wl,-rpath,$$ORIGIN/..' -o $@ $(filter %.o %.a,$^) -L$(O) -ltptrace \
		$(ZSTD_LIBS) $(DW_LIBS) $$(pkg-config --libs cmocka) -lpthread -ldl -lm

$(O)/unit/names_test $(O)/unit/names_files_test: $(O)/obj/test/unit/scene.o

check-unit: all $(UNIT)
	$(Q)for t in $(UNIT); do $$t || exit 1; done

# Under sanitizers, and of another compiler, the frozen outputs stand for screens and tables: they are of the same writers.
FEW ?= $(SANITIZED)
check-golden: all $(O)/collapse
	$(Q)python3 test/golden/report/check.py --tptrace $(O)/tptrace $(if $(FEW),--few)
	$(Q)python3 test/golden/bad/check.py --tptrace $(O)/tptrace
	$(Q)python3 test/golden/findings/check.py --tptrace $(O)/tptrace
	$(if $(FEW),,$(Q)python3 test/golden/screen/check.py --build $(O))
	$(if $(FEW),,$(Q)python3 test/golden/screen/pager.py --build $(O))
	$(Q)python3 test/golden/calls/check.py --tptrace $(O)/tptrace
	$(Q)python3 test/golden/keys/check.py --build $(O)
	$(if $(FEW),,$(Q)python3 test/golden/tables/check.py --tptrace $(O)/tptrace)
	$(Q)python3 test/golden/answers/check.py --build $(O)
	$(Q)python3 test/freeze/freeze.py --tptrace $(O)/tptrace --sample $(FREEZE_SAMPLE)

# After each change: what only computes, and takes minutes.  `make mutants` tells whether it finds faults.
check-quick: check-static check-unit check-golden
	$(Q)python3 test/model/small.py --build $(O)
	$(Q)python3 test/diff/small.py --build $(O)
	$(Q)python3 test/diff/log.py --build $(O)
	$(Q)python3 test/many/ranks.py --tptrace $(O)/tptrace
	$(Q)python3 test/many/figures.py --tptrace $(O)/tptrace
	$(Q)python3 test/predict/small.py --tptrace $(O)/tptrace
	$(Q)python3 test/view/check.py --build $(O) --only data
	@echo "quick checks passed"

# Releases of libomp that apt cannot install side by side; the corpus does without a missing one.
libomps: $(O)/omp16 $(O)/omp$(if $(wildcard /usr/lib/llvm-19/lib/libomp.so.5),18,19)

$(O)/omp%:
	$(Q)mkdir -p $@.part && cd $@.part && apt-get download -qq libomp5-$* && dpkg -x libomp5-$*_*.deb . \
		&& cd - >/dev/null && mv $@.part $@ || { rm -rf $@.part; echo "skip libomp $*: apt-get cannot download it"; }

# The shim with callbacks alone: all that a statically linked libomp offers.
BARE := $(filter-out shims/ompt/ompt_kmpc.c shims/ompt/ompt_loop.c shims/ompt/ompt_stub.c shims/ompt/ompt_trial.c,$(SHIM_omp)) $(SHIM_COMMON)
$(O)/bare/libtpshim_omp.so: $(call pic,$(BARE)) $(O)/libtptrace.so
	@mkdir -p $(@D)
	$(Q)$(CC) $(SHIM_LDFLAGS) $(VERSIONS) $(LDFLAGS) '-Wl,-rpath,$$ORIGIN/..' -o $@ $(filter %.o,$^) -L$(O) -ltptrace -ldl

check-corpus: all libomps $(O)/bare/libtpshim_omp.so
	$(Q)BUILD=$(O) python3 test/corpus.py

check-live: all
	$(Q)python3 test/live/check.py --build $(O)
	$(Q)python3 test/live/window.py --build $(O)
	$(Q)python3 test/live/starpu_chains.py --build $(O)
	$(Q)python3 test/live/programs.py --build $(O)
	$(Q)python3 test/live/compensated.py --build $(O)
	$(Q)python3 test/live/tried.py --build $(O)

# ---- showing it ----

DEMO_INPUT ?= /usr/include
$(O)/demo/sortlines: test/demo/sortlines.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -fopenmp -o $@ $<

demo: all $(O)/demo/sortlines
	@rm -f $(O)/demo/sortlines.tpt*
	$(O)/tptrace record -o $(O)/demo/sortlines.tpt -- $(O)/demo/sortlines $(DEMO_INPUT)
	$(O)/tptrace report $(O)/demo/sortlines.tpt
	@echo && $(O)/tptrace view $(O)/demo/sortlines.tpt

# The order of their checks.  A folder of tests that is missing here, or a name without one, is an error.
TESTS := itt prop dags freeze collapse port bench race steal runtime life stack fault sick control clock kill record nest scripts fuzz many toy format machine pthread names diff view model export counters probe slow virtual plot packages predict mpi device mutants adapters
include $(foreach t,$(TESTS),test/$(t)/$(t).mk)
$(if $(word 9,$(UNSTEADY)),$(error test/unsteady names more than 8 checks))
$(if $(filter-out $(filter-out $(BESIDE),$(CHECKS)),$(UNSTEADY)),$(error test/unsteady: \
	$(filter-out $(filter-out $(BESIDE),$(CHECKS)),$(UNSTEADY)): no check, or one that runs beside others))
UNNAMED := $(filter-out $(TESTS),$(basename $(notdir $(wildcard test/*/*.mk))))
$(if $(UNNAMED),$(error TESTS does not name $(UNNAMED)))

include tools/view/view.mk scripts/install.mk scripts/package.mk

clean:
	rm -rf $(O) $(O)-asan $(O)-clang $(O)-fuzz-O0 $(O)-fuzz-O1

help:
	@echo "make            build tptrace and the shims into $(O)/"
	@echo "make demo       record a program and print its report"
	@echo "make check      all tests: $(CHECKS)"
	@echo "                (CORPUS=full for the whole compiler matrix)"
	@echo "make check-quick     those that only compute, in minutes: after each change"
	@echo "make check-freeze    all outputs of all golden traces, some 40,000, are what they were: 2 minutes; AGAINST=DIR shows what"
	@echo "                differs from a build of before; make bless-freeze, if it is meant"
	@echo "make mutants    makes some 45 faults, one by one, in a copy of the tree: each must be found by check-quick"
	@echo "make fuzz       FUZZ_MINUTES=5 of each fuzz target"
	@echo "make bench      the benchmarks, with their bars"
	@echo "make soak       programs killed at SOAK_N (1000) random moments, and their collectors and others at"
	@echo "                SOAK_DEATHS (2000); traces cut, recordings stormed"
	@echo "make check-firefox   the page in Firefox, where firefox-esr is installed; make check has Chromium only"
	@echo "make pictures   takes README's pictures of pages again, into tools/view/pictures"
	@echo "make dist       the source archive, $(O)/tptrace-VERSION.tar.gz; make deb: Debian's packages, in $(O)/deb"
	@echo "make install    into \$$(DESTDIR)\$$(prefix), /usr/local by default; make uninstall"

-include $(shell find $(O) -name '*.d' 2>/dev/null)
.SECONDARY: # what was compiled for a test is kept

V ?= 0
ifeq ($(V),0)
Q = @echo "  $(@F)";
endif
.PHONY: all check check-quick check-static check-unit check-golden check-corpus check-live headers \
	rooms limits symbols tls frames fences documented grammar libomps demo clean help
