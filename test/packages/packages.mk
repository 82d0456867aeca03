# SPDX-License-Identifier: MIT
# packages.mk - make dist and what Debian's packages hold: check-packages; soak: they are built in a new Debian, without
# git, and installed, used and removed in another (as root, with debootstrap).

CHECKS += check-packages

check-packages: all
	$(Q)python3 test/packages/check.py --build $(O)

soak: soak-packages
soak-packages:
	$(Q)$(MAKE) -s deb DEB_KIND=source && test/packages/chroot.sh $(O)/deb

.PHONY: check-packages soak soak-packages
