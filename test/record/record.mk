# SPDX-License-Identifier: MIT
# record.mk - tptrace record before all sorts of commands and in all sorts of places: check-record.

CHECKS += check-record

check-record: all runtimes
	$(Q)for t in commands places live samples timer baseline left why install; do python3 test/record/$$t.py --build $(O) || exit 1; done

.PHONY: check-record
