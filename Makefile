# SPDX-License-Identifier: MIT
# Makefile - the whole of tptrace.  `make help` lists what it can do.

O      ?= build
CC     ?= cc
CFLAGS ?= -O2 -g

OUR_CPPFLAGS := -I. -D_GNU_SOURCE
OUR_CFLAGS   := -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
SHIM_CFLAGS  := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fexceptions -fno-plt
SHIM_LDFLAGS := -shared -Wl,-z,now -Wl,-z,relro -Wl,--no-undefined
ZSTD_CFLAGS  := $(shell pkg-config --cflags libzstd)
ZSTD_LIBS    := $(shell pkg-config --libs libzstd)
# In the traced process zstd is our own, or a program that has another would have its calls mixed up.
ZSTD_STATIC  := -Wl,--exclude-libs,ALL -Wl,-Bstatic $(ZSTD_LIBS) -Wl,-Bdynamic
DW_LIBS      := $(shell pkg-config --libs libdw libelf)

# what is built, room by room
PRELOAD   := $(wildcard preload/*.c)
COLLECTOR := $(addprefix collector/,err.c defs.c create.c encode.c file.c)
DRAIN     := $(addprefix collector/,describe.c path.c note.c flight.c ask.c hold.c marks.c pairs.c closing.c lines.c stream.c \
	ending.c drain.c)
INPROC    := $(COLLECTOR) $(DRAIN) $(addprefix collector/,beginning.c facts.c launched.c voice.c allowance.c outside.c heir.c inproc.c)
SHIM_omp    := $(wildcard shims/gomp*.c shims/ompt*.c)
SHIM_tbb    := $(wildcard shims/tbb*.c)
SHIM_qth    := $(wildcard shims/qth*.c) shims/pool.c
SHIM_mth    := $(filter-out shims/mthdl.c,$(wildcard shims/mth*.c)) shims/pool.c
SHIM_mthdl  := $(addprefix shims/,mthdl.c mth_birth.c mth_once.c pool.c)
SHIM_starpu := $(wildcard shims/starpu*.c)
SHIM_cilk   := $(wildcard shims/cilk*.c)
SHIMS     := $(foreach s,omp tbb qth mth mthdl starpu cilk,$(if $(SHIM_$(s)),$(s)))
SHIM_SO   := $(SHIMS:%=$(O)/libtpshim_%.so)
READER    := $(COLLECTOR) $(addprefix collector/,decode.c live.c timeline.c reader.c text.c) preload/options.c
# What drains from outside the process; and what of the recorder it needs for that.
OUTSIDE   := $(DRAIN) $(addprefix collector/,launched.c serve.c will.c ring.c recover.c place.c) preload/clock.c preload/collapse.c preload/futex.c preload/gate.c
TOOLS     := $(wildcard tools/*.c tools/*/*.c)

pic = $(patsubst %.c,$(O)/pic/%.o,$(1))
obj = $(patsubst %.c,$(O)/obj/%.o,$(1))

all: $(O)/libtptrace.so $(SHIM_SO) $(O)/tptrace $(O)/tptrace-report

$(O)/libtptrace.so: $(call pic,$(PRELOAD) $(INPROC))
	$(Q)$(CC) $(SHIM_LDFLAGS) -Wl,-z,initfirst $(LDFLAGS) -o $@ $^ $(ZSTD_STATIC) -lpthread

.SECONDEXPANSION:
$(SHIM_SO): $(O)/libtpshim_%.so: $$(call pic,shims/call.c shims/life.c $$(SHIM_$$*)) $(O)/libtptrace.so
	$(Q)$(CC) $(SHIM_LDFLAGS) $(LDFLAGS) '-Wl,-rpath,$$ORIGIN' -o $@ $(filter %.o,$^) \
		-L$(O) -ltptrace -ldl

$(O)/outside.a: $(call obj,$(OUTSIDE))
	$(Q)rm -f $@ && ar rcs $@ $^

$(O)/tptrace: $(call obj,$(READER) $(TOOLS)) $(O)/outside.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ZSTD_LIBS) $(DW_LIBS) -lpthread -ldl -lm

$(O)/tptrace-report: $(O)/tptrace
	@ln -sf tptrace $@

$(O)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(SHIM_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$(O)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# ---- tests ----

UNIT := $(patsubst test/unit/%_test.c,$(O)/unit/%_test,$(wildcard test/unit/*_test.c))

CHECKS := check-static check-unit check-golden check-prop check-corpus check-live check-race \
	check-sanitize check-clang

# One after the other, on whatever is built: they use all cores themselves, or want a quiet one.
check: all
	$(Q)for c in $(CHECKS); do echo "== $$c"; $(MAKE) --no-print-directory $$c || exit 1; done
	@echo "all checks passed"

check-static: headers rooms symbols documented

# Every header compiles alone; those of test/port and bench/bots are parts of programs.
headers:
	$(Q)for h in $$(git ls-files '*.h' ':!test/port' ':!test/bench/bots' 2>/dev/null || find . -name '*.h'); do \
		$(CC) $(OUR_CPPFLAGS) $(OUR_CFLAGS) -Werror -fsyntax-only -include $$h -xc /dev/null || exit 1; done

# Rooms include only the rooms before them.
rooms:
	$(Q)scripts/rooms

# Options and variables are documented, and what is documented exists.
documented: $(O)/tptrace
	$(Q)scripts/documented --tptrace $<

# What the shared objects export, and what the shims may call.
symbols: $(O)/libtptrace.so $(SHIM_SO)
	$(Q)for so in $^; do scripts/symbols $$so | diff test/golden/symbols/$$(basename $$so).txt - || exit 1; done

$(O)/unit/%_test: $(O)/obj/test/unit/%_test.o $(call obj,$(READER) $(filter-out tools/main.c,$(TOOLS))) $(O)/outside.a $(O)/libtptrace.so
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) '-Wl,-rpath,$$ORIGIN/..' -o $@ $(filter %.o %.a,$^) -L$(O) -ltptrace \
		$(ZSTD_LIBS) $(DW_LIBS) $$(pkg-config --libs cmocka) -lpthread -ldl -lm

check-unit: all $(UNIT)
	$(Q)for t in $(UNIT); do $$t || exit 1; done

check-golden: all
	$(Q)python3 test/golden/report/check.py --tptrace $(O)/tptrace
	$(Q)python3 test/golden/bad/check.py --tptrace $(O)/tptrace

# Releases of libomp that cannot be installed side by side, for the corpus; it does without.
libomps: $(O)/omp16 $(O)/omp19

$(O)/omp%:
	$(Q)mkdir -p $@.part && cd $@.part && apt-get download -qq libomp5-$* && dpkg -x libomp5-$*_*.deb . \
		&& cd - >/dev/null && mv $@.part $@ || { rm -rf $@.part; echo "no libomp $*: left out"; }

# The shim as it is to a libomp that a program is linked to statically: the callbacks alone.
BARE := $(filter-out shims/ompt_kmpc.c,$(SHIM_omp)) shims/call.c shims/life.c
$(O)/bare/libtpshim_omp.so: $(call pic,$(BARE)) $(O)/libtptrace.so
	@mkdir -p $(@D)
	$(Q)$(CC) $(SHIM_LDFLAGS) $(LDFLAGS) '-Wl,-rpath,$$ORIGIN/..' -o $@ $(filter %.o,$^) -L$(O) -ltptrace -ldl

check-corpus: all libomps $(O)/bare/libtpshim_omp.so
	$(Q)for r in $(notdir $(patsubst %/corpus.conf,%,$(wildcard test/work/*/corpus.conf))); do \
		BUILD=$(O) test/corpus.sh $$r || exit 1; done

check-live: all
	$(Q)python3 test/live/check.py --build $(O)
	$(Q)python3 test/live/window.py --build $(O)
	$(Q)python3 test/live/starpu_chains.py --build $(O)
	$(Q)python3 test/live/programs.py --build $(O)

# ---- showing it ----

DEMO_INPUT ?= /usr/include
$(O)/demo/sortlines: test/demo/sortlines.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -fopenmp -o $@ $<

demo: all $(O)/demo/sortlines
	@rm -f $(O)/demo/sortlines.tpt*
	$(O)/tptrace record -o $(O)/demo/sortlines.tpt -- $(O)/demo/sortlines $(DEMO_INPUT)
	$(O)/tptrace report $(O)/demo/sortlines.tpt

-include test/prop/prop.mk
-include test/collapse/collapse.mk
-include test/port/port.mk
-include test/bench/bench.mk
-include test/race/race.mk
-include test/runtime/runtime.mk
-include test/life/life.mk
-include test/fault/fault.mk
-include test/control/control.mk
-include test/clock/clock.mk
-include test/kill/kill.mk
-include test/record/record.mk
-include test/nest/nest.mk
-include test/scripts/scripts.mk
-include test/fuzz/fuzz.mk
-include test/many/many.mk

include scripts/install.mk

clean:
	rm -rf $(O) $(O)-asan $(O)-clang $(O)-fuzz

help:
	@echo "make            build tptrace and the shims into $(O)/"
	@echo "make demo       record a program and print its report"
	@echo "make check      all tests: $(CHECKS)"
	@echo "                (CORPUS=full for the whole compiler matrix)"
	@echo "make fuzz       FUZZ_MINUTES=5 of each fuzz target"
	@echo "make bench      the benchmarks, with their bars"
	@echo "make soak       programs killed at SOAK_N (1000) random moments, and their collectors and others at"
	@echo "                SOAK_DEATHS (2000); traces cut, recordings stormed"
	@echo "make install    into \$$(DESTDIR)\$$(prefix), /usr/local by default; make uninstall"

-include $(shell find $(O) -name '*.d' 2>/dev/null)
.SECONDARY: # what was compiled for a test is kept

V ?= 0
ifeq ($(V),0)
Q = @echo "  $(@F)";
endif
.PHONY: all check check-static check-unit check-golden check-corpus check-live headers \
	rooms symbols documented libomps demo clean help
