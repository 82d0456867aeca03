# SPDX-License-Identifier: MIT
# adapters.mk - check-adapters: runtimes whose source takes the marks, as shims/adapters says.

CHECKS += check-adapters

check-adapters: all
	$(Q)python3 test/adapters/check.py --build $(O)

.PHONY: check-adapters
