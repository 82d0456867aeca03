# SPDX-License-Identifier: MIT
# model.mk - what must hold of any simulation, on random and on recorded graphs: check-model.

CHECKS += check-model
MODEL_SECONDS ?= 30

check-model: all
	$(Q)python3 test/model/laws.py --tptrace $(O)/tptrace --seconds $(MODEL_SECONDS)
	$(Q)python3 test/model/small.py --tptrace $(O)/tptrace
	$(Q)python3 test/model/advice.py --tptrace $(O)/tptrace
	$(Q)python3 test/model/regions.py --tptrace $(O)/tptrace
	$(Q)python3 test/model/tiles.py --build $(O)

.PHONY: check-model
