# SPDX-License-Identifier: MIT
# record.mk - tptrace record before all sorts of commands and in all sorts of places: check-record; and beside a run
# with one worker, which wants two CPUs of its own: check-baseline.

CHECKS += check-record check-baseline

check-record: all runtimes
	$(Q)for t in commands preloaded places live samples timer left why install; do python3 test/record/$$t.py --build $(O) || exit 1; done

check-baseline: all runtimes
	$(Q)python3 test/record/baseline.py --build $(O)

.PHONY: check-record check-baseline
