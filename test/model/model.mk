# SPDX-License-Identifier: MIT
# model.mk - what must hold of any simulation, on random and on recorded graphs: check-model.

CHECKS += check-model

# 10^4 graphs, each under all policies; LAWS="7 100": 100 graphs from seed 7 on
LAWS ?= 1 10000
$(O)/model/laws: $(call obj,test/model/laws.c) $(O)/tools.a $(OBJ_BOTH)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ZSTD_LIBS) $(DW_LIBS) -lpthread -ldl -lm

check-model: all $(O)/model/laws
	$(Q)$(O)/model/laws $(LAWS)
	$(Q)python3 test/model/laws.py --tptrace $(O)/tptrace
	$(Q)python3 test/model/small.py --build $(O)
	$(Q)python3 test/model/advice.py --build $(O)
	$(Q)python3 test/model/regions.py --build $(O)
	$(Q)python3 test/model/tiles.py --build $(O)

.PHONY: check-model
