# SPDX-License-Identifier: MIT
# port.mk - the check that a program has the same graph on every runtime: check-port.

CHECKS += check-port

check-port: all $$(RUNTIME_SO)
	$(Q)python3 test/port/check.py --build $(O)

.PHONY: check-port
