# SPDX-License-Identifier: MIT
# virtual.mk - tptrace record --virtual: check-virtual.

CHECKS += check-virtual

$(O)/virtual/bodies: test/virtual/bodies.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -fopenmp -o $@ $<

# The same by clang; without it, this runtime is left out.
$(O)/virtual/bodies-omp: test/virtual/bodies.c
	@mkdir -p $(@D)
	$(Q)! test/lib/can $(@F) '$(hash)include <omp.h>' clang -fopenmp || clang -O2 -g -fopenmp -o $@ $<

check-virtual: all libomps $(O)/virtual/bodies $(O)/virtual/bodies-omp
	$(Q)python3 test/virtual/check.py --build $(O)

.PHONY: check-virtual
