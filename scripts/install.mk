# SPDX-License-Identifier: MIT
# install.mk - make install and make uninstall.
#
# The command finds the libraries in a directory of their own, $(prefix)/lib/tptrace.  Links in
# $(libdir) let the loader find them by their bare names.  The loader takes the link's directory as
# $ORIGIN, so libtptrace.so needs a link, too.  prefix=/usr needs the directory that its loader knows.

prefix  ?= /usr/local
bindir  ?= $(prefix)/bin
libdir  ?= $(prefix)/lib$(if $(filter /usr,$(prefix)),$(LIB_SUFFIX))
includedir ?= $(prefix)/include
mandir  ?= $(prefix)/share/man
bashcompdir ?= $(prefix)/share/bash-completion/completions
zshcompdir  ?= $(prefix)/share/zsh/site-functions
LIB_SUFFIX = $(shell gcc -print-multiarch 2>/dev/null | sed 's|^.|/&|' | grep . || { test ! -d /usr/lib64 || echo 64; })
PRIVATE    = $(prefix)/lib/tptrace
EXAMPLES   = $(prefix)/share/tptrace
PC_DIR     = $(libdir)/pkgconfig
MAN1      := $(wildcard tools/man/*.1)
MAN7      := $(wildcard tools/man/*.7)
HEADERS   := preload/tptrace.h preload/tptrace.f90 shims/task/tptrace_task.h shims/task/tptrace_task.hpp \
	shims/task/tptrace_task.f90
ADAPTERS  := $(patsubst shims/%,%,$(wildcard shims/adapters/*/*))
# what runtime-latencies compiles, in the directories of the sources
LATENCIES := test/port/runtimes.py test/port/latency.c test/port/port.h test/bench/now.h test/runtime/cilkrts/lowered.h \
	$(addprefix test/port/,openmp.h tbb.h qthreads.h myth.h starpu.h cilk.h argobots.h async.h)
LIBRARIES := libtptrace.so $(notdir $(SHIM_SO) $(PROBE_SO))
VERSION   := $(shell sed -n 's/^\#define TPTRACE_VERSION "\([^"]*\)".*/\1/p' collector/trace/wire.h)
SPACE     := $(subst ,, )

install: all
	install -d "$(DESTDIR)$(bindir)" "$(DESTDIR)$(libdir)" "$(DESTDIR)$(PRIVATE)" "$(DESTDIR)$(mandir)/man1" "$(DESTDIR)$(mandir)/man7" \
		"$(DESTDIR)$(includedir)" "$(DESTDIR)$(PC_DIR)" "$(DESTDIR)$(bashcompdir)" "$(DESTDIR)$(zshcompdir)" "$(DESTDIR)$(EXAMPLES)"
	install -m 755 $(O)/tptrace "$(DESTDIR)$(bindir)/tptrace"
	ln -sf tptrace "$(DESTDIR)$(bindir)/tptrace-report"
	install -m 644 $(LIBRARIES:%=$(O)/%) "$(DESTDIR)$(PRIVATE)"
	$(if $(MPI_RELAY),install -m 755 $(MPI_RELAY) "$(DESTDIR)$(PRIVATE)")
	ln -srf $(LIBRARIES:%="$(DESTDIR)$(PRIVATE)"/%) "$(DESTDIR)$(libdir)"
	install -m 644 $(HEADERS) "$(DESTDIR)$(includedir)"
	sed -e 's|@includedir@|$(subst $(SPACE),\\ ,$(includedir))|' -e 's|@libdir@|$(libdir)|' -e 's|@version@|$(VERSION)|' \
		scripts/tptrace.pc.in >"$(DESTDIR)$(PC_DIR)/tptrace.pc"
	chmod 644 "$(DESTDIR)$(PC_DIR)/tptrace.pc"
	install -m 644 $(MAN1) "$(DESTDIR)$(mandir)/man1"
	install -m 644 $(MAN7) "$(DESTDIR)$(mandir)/man7"
	install -m 644 $(O)/completion/tptrace "$(DESTDIR)$(bashcompdir)/tptrace"
	ln -sf tptrace "$(DESTDIR)$(bashcompdir)/tptrace-report"
	install -m 644 $(O)/completion/_tptrace "$(DESTDIR)$(zshcompdir)/_tptrace"
	install -m 755 scripts/gate-example/gate "$(DESTDIR)$(EXAMPLES)"
	install -m 644 scripts/gate-example/github.yml "$(DESTDIR)$(EXAMPLES)"
	for f in $(ADAPTERS); do install -D -m 644 "shims/$$f" "$(DESTDIR)$(EXAMPLES)/$$f" || exit 1; done
	install -D -m 755 scripts/runtime-latencies "$(DESTDIR)$(EXAMPLES)/latencies/runtime-latencies"
	for f in $(LATENCIES); do install -D -m 644 "$$f" "$(DESTDIR)$(EXAMPLES)/latencies/$$f" || exit 1; done
	sed -e 's|@prefix@|$(prefix)|' -e 's|@includedir@|$(includedir)|' -e 's|@libdir@|$(libdir)|' -e 's|@version@|$(VERSION)|' \
		scripts/modulefile.in >"$(DESTDIR)$(EXAMPLES)/modulefile"
	chmod 644 "$(DESTDIR)$(EXAMPLES)/modulefile"
	@scripts/tell-loader "$(DESTDIR)" "$(libdir)"

# Removes what install created; directories that others use stay.
uninstall:
	rm -f "$(DESTDIR)$(bindir)/tptrace" "$(DESTDIR)$(bindir)/tptrace-report"
	rm -f $(LIBRARIES:%="$(DESTDIR)$(libdir)"/%) $(LIBRARIES:%="$(DESTDIR)$(PRIVATE)"/%)
	rm -f "$(DESTDIR)$(PRIVATE)/tptrace-mpi"
	rm -f $(foreach h,$(notdir $(HEADERS)),"$(DESTDIR)$(includedir)/$(h)") "$(DESTDIR)$(PC_DIR)/tptrace.pc"
	rm -f $(MAN1:tools/man/%="$(DESTDIR)$(mandir)/man1"/%) $(MAN7:tools/man/%="$(DESTDIR)$(mandir)/man7"/%)
	rm -f "$(DESTDIR)$(bashcompdir)/tptrace" "$(DESTDIR)$(bashcompdir)/tptrace-report" "$(DESTDIR)$(zshcompdir)/_tptrace"
	rm -f "$(DESTDIR)$(EXAMPLES)/gate" "$(DESTDIR)$(EXAMPLES)/github.yml" "$(DESTDIR)$(EXAMPLES)/modulefile"
	rm -f $(ADAPTERS:%="$(DESTDIR)$(EXAMPLES)"/%)
	rm -f $(LATENCIES:%="$(DESTDIR)$(EXAMPLES)/latencies"/%) "$(DESTDIR)$(EXAMPLES)/latencies/runtime-latencies"
	for d in $(patsubst %/,"$(DESTDIR)$(EXAMPLES)"/%,$(sort $(dir $(ADAPTERS))) adapters/ \
			$(addprefix latencies/,test/runtime/cilkrts/ test/runtime/ test/port/ test/bench/ test/) latencies/) "$(DESTDIR)$(PRIVATE)" "$(DESTDIR)$(EXAMPLES)"; do if [ -d "$$d" ]; then rmdir "$$d"; fi; done
	@test -n "$(DESTDIR)" || test "$$(id -u)" != 0 || ldconfig

.PHONY: install uninstall
