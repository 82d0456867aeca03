# SPDX-License-Identifier: MIT
# collapse.mk - the check that collapsing changes no figure: check-collapse.

CHECKS += check-collapse

$(O)/collapse: $(call obj,test/collapse/collapse.c) $(O)/tools.a $(OBJ_BOTH)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ZSTD_LIBS) -lpthread

$(O)/keep: $(call obj,test/collapse/keep.c) $(O)/tools.a $(OBJ_BOTH)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ZSTD_LIBS) -lpthread

check-collapse: all $(O)/collapse $(O)/keep $$(RUNTIME_SO)
	$(Q)python3 test/collapse/check.py --build $(O) $(COLLAPSE)

soak: soak-collapse
soak-collapse: all $(O)/collapse $(O)/keep $$(RUNTIME_SO)
	$(Q)python3 test/collapse/check.py --build $(O) --seed 1000 --random 5000

.PHONY: check-collapse soak soak-collapse
