# SPDX-License-Identifier: MIT
# pthread.mk - the shim for pthread: what programs see of it, and what traces do: check-pthread.

CHECKS += check-pthread

PTHREAD_FLAGS := -D_GNU_SOURCE -O2 -g -Wall
PTHREAD_TESTS := locks waits races outside made beside convoy-gcc libearly.so convoy-clang convoy-tbb library \
	futures libfutures.so futexes locks-asan waits-asan races-tsan
WAIT_ON_ADDRESS := _ZN3tbb6detail2r115wait_on_addressEPvRNS0_2d113delegate_baseEm

# What a compiler or library is missing for is left out, and the check says so (test/lib/can).
$(O)/pthread/%: test/pthread/%.c test/pthread/points.h
	@mkdir -p $(@D)
	$(Q)gcc $(PTHREAD_FLAGS) -fopenmp -o $@ $<
$(O)/pthread/convoy-gcc: test/pthread/convoy.c test/pthread/convoy.h
	@mkdir -p $(@D)
	$(Q)gcc $(PTHREAD_FLAGS) -fopenmp -o $@ $<
$(O)/pthread/convoy-clang: test/pthread/convoy.c test/pthread/convoy.h
	@mkdir -p $(@D)
	$(Q)! test/lib/can $(@F) '$(hash)include <omp.h>' clang -fopenmp || \
		clang $(PTHREAD_FLAGS) -fopenmp -o $@ $<
$(O)/pthread/convoy-tbb: test/pthread/convoy.cc test/pthread/convoy.h
	@mkdir -p $(@D)
	$(Q)! test/lib/can $(@F) '$(hash)include <oneapi/tbb/mutex.h>' g++ -std=c++17 -ltbb || \
		g++ $(PTHREAD_FLAGS) -std=c++17 -DWAIT_ON_ADDRESS='"$(WAIT_ON_ADDRESS)"' \
		-Wl,--wrap=$(WAIT_ON_ADDRESS) -o $@ $< -ltbb
$(O)/pthread/library: test/pthread/library.cc
	@mkdir -p $(@D)
	$(Q)! test/lib/can $(@F) '$(hash)include <latch>\n$(hash)include <oneapi/tbb/mutex.h>' g++ -std=c++20 -ltbb || \
		g++ $(PTHREAD_FLAGS) -std=c++20 -o $@ $< -ltbb
$(O)/pthread/futexes: test/pthread/futexes.cc
	@mkdir -p $(@D)
	$(Q)! test/lib/can $(@F) '$(hash)include <latch>' g++ -std=c++20 -fopenmp || \
		g++ $(PTHREAD_FLAGS) -std=c++20 -fopenmp -o $@ $<
$(O)/pthread/futures.o: test/pthread/futures.cc
	@mkdir -p $(@D)
	$(Q)g++ $(PTHREAD_FLAGS) -fopenmp -fPIC -c -o $@ $<
$(O)/pthread/futures: $(O)/pthread/futures.o
	$(Q)g++ -fopenmp -o $@ $<
$(O)/pthread/libfutures.so: $(O)/pthread/futures.o
	$(Q)g++ -fopenmp -shared -o $@ $<
$(O)/pthread/%-asan: test/pthread/%.c test/pthread/points.h
	@mkdir -p $(@D)
	$(Q)! test/lib/can $(@F) '' gcc -fopenmp -fsanitize=address || \
		gcc $(PTHREAD_FLAGS) -fopenmp -fsanitize=address -o $@ $<
$(O)/pthread/%-tsan: test/pthread/%.c test/pthread/points.h
	@mkdir -p $(@D)
	$(Q)! test/lib/can $(@F) '' gcc -fopenmp -fsanitize=thread || \
		gcc $(PTHREAD_FLAGS) -fopenmp -fsanitize=thread -o $@ $<
$(O)/pthread/libearly.so: test/pthread/early.c
	@mkdir -p $(@D)
	$(Q)gcc $(PTHREAD_FLAGS) -shared -fPIC -o $@ $<

check-pthread: all $$(RUNTIME_SO) $(PTHREAD_TESTS:%=$(O)/pthread/%)
	$(Q)python3 test/pthread/check.py --build $(O)

.PHONY: check-pthread
