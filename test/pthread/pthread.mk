# SPDX-License-Identifier: MIT
# pthread.mk - the shim for pthread: what programs see of it, and what traces do: check-pthread.

CHECKS += check-pthread

PTHREAD_FLAGS := -D_GNU_SOURCE -O2 -g -Wall
PTHREAD_TESTS := locks waits races outside convoy-gcc libearly.so convoy-clang convoy-tbb library \
	futures libfutures.so futexes locks-asan waits-asan races-tsan

# What a compiler or library is missing for is left out, and the check says so.
$(O)/pthread/%: test/pthread/%.c test/pthread/points.h
	@mkdir -p $(@D)
	$(Q)gcc $(PTHREAD_FLAGS) -fopenmp -o $@ $<
$(O)/pthread/convoy-gcc: test/pthread/convoy.c test/pthread/convoy.h
	@mkdir -p $(@D)
	$(Q)gcc $(PTHREAD_FLAGS) -fopenmp -o $@ $<
$(O)/pthread/convoy-clang: test/pthread/convoy.c test/pthread/convoy.h
	@mkdir -p $(@D)
	$(Q)clang $(PTHREAD_FLAGS) -fopenmp -o $@ $< || true
$(O)/pthread/convoy-tbb: test/pthread/convoy.cc test/pthread/convoy.h
	@mkdir -p $(@D)
	$(Q)g++ $(PTHREAD_FLAGS) -std=c++17 -o $@ $< -ltbb || true
$(O)/pthread/library: test/pthread/library.cc
	@mkdir -p $(@D)
	$(Q)g++ $(PTHREAD_FLAGS) -std=c++20 -o $@ $< -ltbb || true
$(O)/pthread/futexes: test/pthread/futexes.cc
	@mkdir -p $(@D)
	$(Q)g++ $(PTHREAD_FLAGS) -std=c++20 -fopenmp -o $@ $< || true
$(O)/pthread/futures.o: test/pthread/futures.cc
	@mkdir -p $(@D)
	$(Q)g++ $(PTHREAD_FLAGS) -fopenmp -fPIC -c -o $@ $<
$(O)/pthread/futures: $(O)/pthread/futures.o
	$(Q)g++ -fopenmp -o $@ $<
$(O)/pthread/libfutures.so: $(O)/pthread/futures.o
	$(Q)g++ -fopenmp -shared -o $@ $<
$(O)/pthread/%-asan: test/pthread/%.c test/pthread/points.h
	@mkdir -p $(@D)
	$(Q)gcc $(PTHREAD_FLAGS) -fopenmp -fsanitize=address -o $@ $< || true
$(O)/pthread/%-tsan: test/pthread/%.c test/pthread/points.h
	@mkdir -p $(@D)
	$(Q)gcc $(PTHREAD_FLAGS) -fopenmp -fsanitize=thread -o $@ $< || true
$(O)/pthread/libearly.so: test/pthread/early.c
	@mkdir -p $(@D)
	$(Q)gcc $(PTHREAD_FLAGS) -shared -fPIC -o $@ $<

check-pthread: all $(PTHREAD_TESTS:%=$(O)/pthread/%)
	$(Q)python3 test/pthread/check.py --build $(O)

.PHONY: check-pthread
