# SPDX-License-Identifier: MIT
# scripts.mk - the checks of what is in scripts/: check-scripts.

CHECKS += check-scripts

check-scripts: all
	$(Q)python3 test/scripts/completion.py --build $(O)
	$(Q)python3 test/scripts/with_and_without.py --build $(O)
	$(Q)python3 test/scripts/rooms.py --build $(O)
	$(Q)python3 test/scripts/hot_path.py
	$(Q)python3 test/scripts/limits.py
	$(Q)python3 test/scripts/needs.py
	$(Q)python3 test/scripts/tries.py
	$(Q)python3 test/scripts/hangs.py
	$(Q)python3 test/scripts/skips.py
	$(Q)python3 test/scripts/whatif.py
	$(Q)python3 test/scripts/gate.py --build $(O)

.PHONY: check-scripts
