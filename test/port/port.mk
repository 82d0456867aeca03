# SPDX-License-Identifier: MIT
# port.mk - the checks that a program has the same graph on every runtime: check-port; and that
# those of the benchmark have the right one on libgomp: check-bots.

CHECKS += check-port check-bots

check-port: all $$(RUNTIME_SO)
	$(Q)python3 test/port/check.py --build $(O)
	$(Q)python3 test/port/latencies.py --build $(O)

check-bots: all
	$(Q)python3 test/port/check.py --build $(O) --runtime gomp --workers 1 --workers 2 \
		$(patsubst test/bench/%.c,--program %,$(wildcard test/bench/bots/*.c))

.PHONY: check-port check-bots
