# SPDX-License-Identifier: MIT
# fuzz.mk - `make fuzz [FUZZ_MINUTES=5] [FUZZ="reader .."]`, and check-fuzz, the same for seconds.
#
# test/fuzz/corpus/TARGET.hex holds inputs that reach something or found a fault, a line each; golden
# traces are seeds, too.  What a run finds is left in $(FUZZ_O)/found; `corpus.py pack` keeps it.

CHECKS += check-fuzz

FUZZ         ?= reader decode defs text graph collapse
FUZZ_MINUTES ?= 5
FUZZ_LEVEL   := -O1
FUZZ_FLAGS    = $(FUZZ_LEVEL) -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=all
FUZZ_O        = $(O)-fuzz$(FUZZ_LEVEL)
FUZZ_MAKE     = $(MAKE) --no-print-directory O=$(FUZZ_O) CC=clang CFLAGS='$(FUZZ_FLAGS)'
# what no target calls
UNFUZZED     := tools/main.c $(foreach room,cmd diff export launch model plot serve team view whatif,tools/$(room)/%)
# where new inputs are kept, and the old ones
FUZZ_DIRS     = $(FUZZ_O)/$(1)/$$t $(FUZZ_O)/seeds/$$t
# Limits for one input of a few KB: one that takes more has found a fault.
FUZZ_LIMITS  := -rss_limit_mb=1500 -malloc_limit_mb=400 -timeout=20 -close_fd_mask=1 \
	-print_final_stats=0 -verbosity=0

$(O)/fuzz/%: $(O)/obj/test/fuzz/%.o $(O)/obj/test/fuzz/fuzz.o \
		$(call obj,$(filter-out $(UNFUZZED),$(TOOLS))) $(OBJ_BOTH)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(ZSTD_LIBS) $(DW_LIBS) -lpthread -ldl -lm

fuzz-programs: $(FUZZ:%=$(O)/fuzz/%)

# Seeds: the corpus, and golden traces as text, as files, and their definitions.
fuzz-seeds: all
	@rm -rf $(FUZZ_O)/seeds && mkdir -p $(FUZZ:%=$(FUZZ_O)/seeds/%) $(FUZZ:%=$(FUZZ_O)/found/%)
	$(Q)for t in $(FUZZ); do \
		python3 test/fuzz/corpus.py unpack test/fuzz/corpus/$$t.hex $(FUZZ_O)/seeds/$$t || exit 1; done
	@mkdir -p $(FUZZ_O)/seeds/text $(FUZZ_O)/seeds/reader $(FUZZ_O)/seeds/defs
	$(Q)cp test/golden/report/*.txt test/golden/bad/*.txt $(FUZZ_O)/seeds/text
	$(Q)for f in test/golden/report/*.txt; do n=$$(basename $$f .txt); \
		$(O)/tptrace load -o $(FUZZ_O)/seeds/reader/$$n $$f && \
		grep -E '^(site|meta|sync|runtime|module|clock)' $$f >$(FUZZ_O)/seeds/defs/$$n || exit 1; done

fuzz: fuzz-seeds
	$(Q)$(FUZZ_MAKE) fuzz-programs
	$(Q)for t in $(FUZZ); do echo "fuzzing $$t for $(FUZZ_MINUTES) minutes"; \
		$(FUZZ_O)/fuzz/$$t $(FUZZ_LIMITS) -max_total_time=$$(( $(FUZZ_MINUTES) * 60 )) \
			-max_len=4096 $$([ $$t = text ] && echo -dict=test/fuzz/text.dict) \
			-artifact_prefix=$(FUZZ_O)/$$t- $(call FUZZ_DIRS,found) || exit 1; done

# The corpus, and a few thousand changes to it that are the same each time.  So few need no optimizer.
FUZZ_RUNS ?= 2000
check-fuzz: FUZZ_LEVEL := -O0
check-fuzz: fuzz-seeds
	$(Q)$(FUZZ_MAKE) fuzz-programs
	$(Q)for t in $(FUZZ); do rm -rf $(FUZZ_O)/check/$$t; mkdir -p $(FUZZ_O)/check/$$t; \
		$(FUZZ_O)/fuzz/$$t $(FUZZ_LIMITS) -runs=$(FUZZ_RUNS) -seed=1 -max_len=4096 \
			$$([ $$t = text ] && echo -dict=test/fuzz/text.dict) \
			-artifact_prefix=$(FUZZ_O)/$$t- $(call FUZZ_DIRS,check) >$(FUZZ_O)/$$t.log 2>&1 || \
			{ cat $(FUZZ_O)/$$t.log; exit 1; }; done

.PHONY: fuzz fuzz-programs fuzz-seeds check-fuzz
