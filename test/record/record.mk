# SPDX-License-Identifier: MIT
# record.mk - tptrace record before all sorts of commands and in all sorts of places: check-record.

CHECKS += check-record

check-record: all runtimes
	$(Q)python3 test/record/commands.py --build $(O)
	$(Q)python3 test/record/places.py --build $(O)
	$(Q)python3 test/record/live.py --build $(O)
	$(Q)python3 test/record/samples.py --build $(O)
	$(Q)python3 test/record/baseline.py --build $(O)
	$(Q)python3 test/record/left.py --build $(O)
	$(Q)python3 test/record/why.py --build $(O)
	$(Q)python3 test/record/install.py --build $(O)

.PHONY: check-record
