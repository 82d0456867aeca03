# SPDX-License-Identifier: MIT
# predict.mk - tptrace predict on traces with a known answer, on recorded runs, and on what it refuses: check-predict.

CHECKS += check-predict

check-predict: all
	$(Q)python3 test/predict/small.py --tptrace $(O)/tptrace
	$(Q)python3 test/predict/recorded.py --build $(O)

.PHONY: check-predict
