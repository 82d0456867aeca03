# SPDX-License-Identifier: MIT
# diff.mk - tptrace diff: what must hold of any two traces, and what is said of real programs: check-diff.

CHECKS += check-diff
DIFF_N ?= 300

check-diff: all
	$(Q)python3 test/diff/laws.py --tptrace $(O)/tptrace --n $(DIFF_N)
	$(Q)python3 test/diff/small.py --build $(O)
	$(Q)python3 test/diff/log.py --build $(O)
	$(Q)python3 test/diff/live.py --build $(O)

.PHONY: check-diff
