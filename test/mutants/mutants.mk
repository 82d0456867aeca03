# SPDX-License-Identifier: MIT
# mutants.mk - whether check-quick finds faults that are made on purpose, in a copy of the tree: make mutants.

mutants: all $(UNIT) $(O)/collapse
	$(Q)python3 test/mutants/mutants.py --build $(O) $(MUTANTS)

# What the table says of the code is still there.
check-static: faults
faults:
	$(Q)python3 test/mutants/mutants.py --texts

.PHONY: mutants faults
