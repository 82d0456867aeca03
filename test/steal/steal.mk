# SPDX-License-Identifier: MIT
# steal.mk - the work-stealing runtime that marks what it does: for check-port, check-corpus and check-live.

$(O)/steal/libsteal.so: $(call pic,test/steal/steal.c)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(LDFLAGS) -Wl,-soname,libsteal.so -o $@ $^ -lpthread
$(O)/pic/test/steal/steal.o: SHIM_CFLAGS := -fPIC # exports what it has

check-port check-corpus check-live check-record: $(O)/steal/libsteal.so

CHECKS += check-task

# The example of tptrace-task(7).
check-task: all
	$(Q)python3 test/steal/check.py --build $(O)
	$(Q)python3 test/steal/marks.py --build $(O)

.PHONY: check-task
