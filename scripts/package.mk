# SPDX-License-Identifier: MIT
# package.mk - make dist, the source archive, and make deb, Debian's packages.

DIST := tptrace-$(VERSION)

dist:
	@mkdir -p $(O)
	$(Q)scripts/dist $(DIST) $(O)/$(DIST)
	@echo $(O)/$(DIST).tar.gz

.PHONY: dist deb

deb: dist
	$(Q)scripts/make-deb $(O)/$(DIST).tar.gz $(VERSION) $(O)/deb $(DEB_KIND)
	@ls $(O)/deb/tptrace*_*
