# SPDX-License-Identifier: MIT
# bench.mk - `make bench [BENCH="--quick .."]` and its programs, which `make all` does not build.

BENCH_OMP      := fib flat grain lock
BENCH_PROGRAMS := $(addprefix $(O)/bench/,clock encode peak ring streams synth $(BENCH_OMP))

bench: all $(BENCH_PROGRAMS) $$(RUNTIME_SO)
	test/bench/run.py --build $(O) $(BENCH)

$(O)/bench/clock: $(call obj,test/bench/clock.c) $(OBJ_BOTH)
$(O)/bench/encode: $(call obj,test/bench/encode.c) $(O)/tools.a $(OBJ_BOTH)
$(O)/bench/streams: $(call obj,test/bench/streams.c) $(O)/tools.a $(OBJ_BOTH)
$(O)/bench/synth: $(call obj,$(addprefix test/bench/,synth.c play.c writer.c)) $(OBJ_BOTH)
$(O)/bench/peak: $(call obj,test/bench/peak.c)
$(O)/bench/ring: $(call pic,test/bench/ring.c $(PRELOAD)) $(PIC_BOTH)
$(foreach p,$(BENCH_OMP),$(eval $(O)/bench/$(p): $(call obj,test/bench/$(p).c)))

# what is traced is libgomp: gcc compiles these, whatever CC is
BENCH_OMP_FILES := $(call obj,$(BENCH_OMP:%=test/bench/%.c)) $(addprefix $(O)/bench/,$(BENCH_OMP))
$(BENCH_OMP_FILES): override CC := gcc
$(BENCH_OMP_FILES): OUR_CFLAGS += -fopenmp
$(BENCH_OMP_FILES): BENCH_LIBS := -fopenmp

$(BENCH_PROGRAMS):
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(BENCH_LIBS) $(ZSTD_LIBS) -lpthread

.PHONY: bench
