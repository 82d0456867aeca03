# SPDX-License-Identifier: MIT
# install.mk - make install and make uninstall.
#
# The libraries are in a folder of their own, $(prefix)/lib/tptrace, where the command finds them.
# Links in $(libdir) let the loader find them by their bare names: it takes the folder of the link as
# $ORIGIN, so libtptrace.so has a link, too.  prefix=/usr needs the folder that its loader knows.

prefix  ?= /usr/local
bindir  ?= $(prefix)/bin
libdir  ?= $(prefix)/lib$(if $(filter /usr,$(prefix)),$(LIB_SUFFIX))
includedir ?= $(prefix)/include
mandir  ?= $(prefix)/share/man
LIB_SUFFIX = $(shell gcc -print-multiarch 2>/dev/null | sed 's|^.|/&|' | grep . || { test ! -d /usr/lib64 || echo 64; })
PRIVATE    = $(prefix)/lib/tptrace
MAN1      := $(wildcard tools/man/*.1)
LIBRARIES := libtptrace.so $(notdir $(SHIM_SO))

install: all
	install -d "$(DESTDIR)$(bindir)" "$(DESTDIR)$(libdir)" "$(DESTDIR)$(PRIVATE)" "$(DESTDIR)$(mandir)/man1" \
		"$(DESTDIR)$(includedir)"
	install -m 755 $(O)/tptrace "$(DESTDIR)$(bindir)/tptrace"
	ln -sf tptrace "$(DESTDIR)$(bindir)/tptrace-report"
	install -m 644 $(LIBRARIES:%=$(O)/%) "$(DESTDIR)$(PRIVATE)"
	ln -srf $(LIBRARIES:%="$(DESTDIR)$(PRIVATE)"/%) "$(DESTDIR)$(libdir)"
	install -m 644 preload/tptrace.h "$(DESTDIR)$(includedir)/tptrace.h"
	install -m 644 $(MAN1) "$(DESTDIR)$(mandir)/man1"
	@scripts/tell-loader "$(DESTDIR)" "$(libdir)"

# What install put there; folders that others use, too, stay.
uninstall:
	rm -f "$(DESTDIR)$(bindir)/tptrace" "$(DESTDIR)$(bindir)/tptrace-report"
	rm -f $(LIBRARIES:%="$(DESTDIR)$(libdir)"/%) $(LIBRARIES:%="$(DESTDIR)$(PRIVATE)"/%)
	rm -f "$(DESTDIR)$(includedir)/tptrace.h" $(MAN1:tools/man/%="$(DESTDIR)$(mandir)/man1"/%)
	if [ -d "$(DESTDIR)$(PRIVATE)" ]; then rmdir "$(DESTDIR)$(PRIVATE)"; fi
	@test -n "$(DESTDIR)" || test "$$(id -u)" != 0 || ldconfig

.PHONY: install uninstall
