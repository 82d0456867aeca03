# SPDX-License-Identifier: MIT
# runtime.mk - stand-ins for runtimes that may not be installed: test/runtime/NAME/*.c over ult.c
# is $(O)/runtime/libNAME.so.  RUNTIME_LIBS_NAME is what one of them needs more.

RUNTIME_NAMES := $(notdir $(patsubst %/,%,$(wildcard test/runtime/*/)))
RUNTIME_SO    := $(RUNTIME_NAMES:%=$(O)/runtime/lib%.so)
ULT           := test/runtime/ult.c test/runtime/context.c

runtimes: $(RUNTIME_SO)
check-corpus: $(RUNTIME_SO)

$(RUNTIME_SO): $(O)/runtime/lib%.so: $$(call pic,$(ULT) $$(wildcard test/runtime/$$*/*.c))
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(LDFLAGS) -Wl,-soname,lib$*.so -o $@ $^ $(RUNTIME_LIBS_$*) -lpthread

.PHONY: runtimes
