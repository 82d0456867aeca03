# SPDX-License-Identifier: MIT
# probe.mk - a probe made by its header alone, and what of the probes is in a program: check-probe.

CHECKS += check-probe

$(O)/probe/libtpprobe_count.so: $(call pic,test/probe/count.c) $(O)/libtptrace.so
	@mkdir -p $(@D)
	$(Q)$(CC) $(SHIM_LDFLAGS) $(LDFLAGS) '-Wl,-rpath,$$ORIGIN/..' -o $@ $< -L$(O) -ltptrace

$(O)/probe/early: test/probe/early.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -fopenmp -shared -fPIC -DLIBRARY -o $(@D)/libearly.so $<
	$(Q)gcc -O2 -g -o $@ $< -L$(@D) '-Wl,-rpath,$$ORIGIN' -learly

$(O)/probe/calls: test/probe/calls.c
	@mkdir -p $(@D)
	$(Q)gcc -O0 -g -fopenmp -o $@ $<

check-probe: all runtimes $(O)/probe/libtpprobe_count.so $(O)/probe/early $(O)/probe/calls
	$(Q)python3 test/probe/check.py --build $(O)

.PHONY: check-probe
