# SPDX-License-Identifier: MIT
# dags.mk - check-dags: every edge of random graphs, by each construct of each runtime.

CHECKS += check-dags

check-dags: all $$(RUNTIME_SO)
	$(Q)python3 test/dags/check.py --build $(O)
	$(Q)python3 test/dags/check.py --build $(O) --construct task_needs --construct pth_threads --seeds 3-4

.PHONY: check-dags
