# SPDX-License-Identifier: MIT
# view.mk - the page of `tptrace view`: what it holds, and how it behaves in a browser: check-view.

CHECKS += check-view

check-view: all
	$(Q)python3 test/view/check.py --build $(O)

# What the page calls by number, as the recorder's and the DAG's headers have it.
KINDS_JS := tools/view/page/kinds.js
$(O)/view/kinds: $(call obj,test/view/kinds.c tools/dag/dag.c tools/analysis/states.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--gc-sections -o $@ $^
kinds: $(O)/view/kinds
	$(Q)$< | diff $(KINDS_JS) - || { echo "$(KINDS_JS): make bless-kinds writes it"; false; }
bless-kinds: $(O)/view/kinds
	$(Q)$< >$(KINDS_JS)

# Types, layout and usual faults of JavaScript, where npm can install what finds them.
javascript:
	$(Q)python3 test/view/static.py --build $(O)

# The browser tests in Firefox (Debian's firefox-esr), where it is installed: 80 MB that `make check` does not ask for.
check-firefox: all
	$(Q)python3 test/view/check.py --build $(O) --only firefox

# How soon pages of a million tasks draw and answer, and how long their frames take.
ifeq ($(findstring --only,$(BENCH)),)
bench: bench-view
endif
bench-view: all $(O)/bench/synth
	$(Q)mkdir -p $(O)/view/bench
	$(Q)for shape in fork-join flat-loop; do $(O)/bench/synth $$shape $$([ $$shape = flat-loop ] && echo 4000000 || echo 5000000) $(O)/view/bench/$$shape.tpt >/dev/null && \
		$(O)/tptrace view $(O)/view/bench/$$shape.tpt >/dev/null || exit 1; done
	$(Q)python3 test/view/check.py --build $(O) --bench $(O)/view/bench/fork-join.html $(O)/view/bench/flat-loop.html

# The pictures of README, anew: programs run under $(UNDER), such as `chrt --fifo 50` on a machine that is not quiet.
pictures: all
	$(Q)python3 test/view/pictures.py --build $(O) --under "$(UNDER)"

.PHONY: kinds bless-kinds javascript check-view check-firefox bench-view pictures
