# SPDX-License-Identifier: MIT
# device.mk - what is recorded of waits for devices: check-device.

CHECKS += check-device

check-device: all
	$(Q)python3 test/device/check.py --build $(O)

.PHONY: check-device
