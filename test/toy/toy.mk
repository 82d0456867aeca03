# SPDX-License-Identifier: MIT
# toy.mk - the toy runtime, and the shim that shims/HOWTO.md makes for it: check-toy.

CHECKS += check-toy

TOY_SHIM := $(call pic,test/toy/shim.c shims/common/pool.c $(SHIM_COMMON))

$(O)/toy/libtoy.so: $(call pic,test/toy/toy.c)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(LDFLAGS) -Wl,-soname,libtoy.so -o $@ $^ -lpthread
$(O)/pic/test/toy/toy.o: SHIM_CFLAGS := -fPIC # exports what it has

$(O)/toy/fib: $(call obj,test/toy/fib.c) $(O)/toy/libtoy.so
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) '-Wl,-rpath,$$ORIGIN' -o $@ $^

$(O)/toy/libtpshim_toy.so: $(TOY_SHIM) $(O)/libtptrace.so
	@mkdir -p $(@D)
	$(Q)$(CC) $(SHIM_LDFLAGS) $(VERSIONS) $(LDFLAGS) '-Wl,-rpath,$$ORIGIN/..' -o $@ $(filter %.o,$^) -L$(O) -ltptrace -ldl

# The same without the wrapper of its wait: what the check must find.
$(O)/toy/libtpshim_broken.so: test/toy/shim.c $(TOY_SHIM) $(O)/libtptrace.so
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(OUR_CFLAGS) $(SHIM_CFLAGS) $(CFLAGS) -DBREAK_WAIT $(SHIM_LDFLAGS) $(VERSIONS) $(LDFLAGS) \
		'-Wl,-rpath,$$ORIGIN/..' -o $@ $< $(filter-out %/shim.o,$(filter %.o,$^)) -L$(O) -ltptrace -ldl

check-toy: all $(O)/toy/fib $(O)/toy/libtpshim_toy.so $(O)/toy/libtpshim_broken.so
	$(Q)python3 test/toy/check.py --build $(O)

.PHONY: check-toy
