# SPDX-License-Identifier: MIT
# stack.mk - what recording takes of stacks and static thread-local storage: check-stack.

CHECKS += check-stack

check-stack: all
	$(Q)python3 test/stack/depth.py --build $(O)
	$(Q)python3 test/stack/tls.py --build $(O)

.PHONY: check-stack
