# SPDX-License-Identifier: MIT
# prop.mk - reports against brute force, of random and recorded traces, and on traces that were cut anywhere: check-prop; soak: more cuts.

PROP_N      ?= 5000
CUTS_N      ?= 300
SOAK_CUTS_N ?= 10000
SOAK_PROP_N ?= 50000

check-prop: all $(O)/collapse $(O)/bench/synth
	$(Q)python3 test/prop/check.py --tptrace $(O)/tptrace --n $(PROP_N)
	$(Q)python3 test/prop/check.py --tptrace $(O)/tptrace --seed 11664 --n 1 # a hold told last, of an open strand
	$(Q)python3 test/prop/cuts.py --build $(O) --n $(CUTS_N)
	$(Q)python3 test/prop/cut_files.py --build $(O) $(if $(SANITIZED),--made --n 4)
	$(Q)python3 test/prop/parts.py --build $(O)
	$(if $(SANITIZED),,$(Q)python3 test/prop/recorded.py --build $(O))

soak: soak-cuts
soak-cuts: all $(O)/collapse
	$(Q)python3 test/prop/cuts.py --build $(O) --n $(SOAK_CUTS_N)
	$(Q)python3 test/prop/check.py --tptrace $(O)/tptrace --seed 5000 --n $(SOAK_PROP_N)

.PHONY: check-prop soak soak-cuts
