# SPDX-License-Identifier: MIT
# freeze.mk - all outputs are what they were, byte by byte: check-freeze, of which check-golden has a sample.

FREEZE_SAMPLE ?= 16

# AGAINST=DIR, a tree or build of before, shows what differs
check-freeze: $(O)/tptrace
	$(Q)python3 test/freeze/freeze.py --tptrace $< $(if $(AGAINST),--against $(AGAINST))

bless-freeze: $(O)/tptrace
	$(Q)python3 test/freeze/freeze.py --tptrace $< --bless

.PHONY: check-freeze bless-freeze
