# SPDX-License-Identifier: MIT
# names.mk - whether users recognise the rows of a report, and whether the names stay: check-names.

CHECKS += check-names

check-names: all
	$(Q)python3 test/names/check.py --build $(O)

.PHONY: check-names
