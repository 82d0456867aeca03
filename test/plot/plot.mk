# SPDX-License-Identifier: MIT
# plot.mk - the pictures of `tptrace plot`, read back by others, against the report: check-plot.

CHECKS += check-plot

check-plot: all
	$(Q)python3 test/plot/check.py --build $(O)

.PHONY: check-plot
