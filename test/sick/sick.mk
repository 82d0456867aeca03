# SPDX-License-Identifier: MIT
# sick.mk - programs with one known fault each, and repaired, run for real: check-sick.

CHECKS += check-sick

check-sick: all runtimes
	$(Q)python3 test/sick/check.py --build $(O)
	$(Q)python3 test/sick/planted.py --build $(O)
	$(Q)python3 test/sick/inside.py --build $(O)
	$(Q)python3 test/sick/what_if.py --build $(O)
	$(Q)python3 test/sick/healthy.py --build $(O)

.PHONY: check-sick
