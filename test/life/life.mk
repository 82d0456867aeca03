# SPDX-License-Identifier: MIT
# life.mk - the check of what ends, doubles, replaces or troubles a traced process: check-life.

CHECKS += check-life

check-life: all
	$(Q)python3 test/life/check.py --build $(O)

.PHONY: check-life
