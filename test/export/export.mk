# SPDX-License-Identifier: MIT
# export.mk - every format, read back by what others wrote: check-export.

CHECKS += check-export

$(O)/export/tree-omp: test/export/tree.c
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -fopenmp -o $@ $<
$(O)/export/tree-tbb: test/export/tree.cc
	@mkdir -p $(@D)
	$(Q)! test/lib/can $(@F) '$(hash)include <oneapi/tbb/task_group.h>' g++ -ltbb || g++ -O2 -g -o $@ $< -ltbb

check-export: all $(O)/export/tree-omp $(O)/export/tree-tbb
	$(Q)python3 test/export/check.py --build $(O)

.PHONY: check-export
