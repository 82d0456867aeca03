# SPDX-License-Identifier: MIT
# virtual.mk - tptrace record --virtual: check-virtual.

CHECKS += check-virtual

$(O)/virtual/bodies: test/virtual/bodies.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -fopenmp -o $@ $<

check-virtual: all $(O)/virtual/bodies
	$(Q)python3 test/virtual/check.py --build $(O)

.PHONY: check-virtual
