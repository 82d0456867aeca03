# SPDX-License-Identifier: MIT
# itt.mk - names and regions that programs give by ITT and NVTX: check-itt.

CHECKS += check-itt

check-itt: all
	$(Q)python3 test/itt/check.py --build $(O)

.PHONY: check-itt
