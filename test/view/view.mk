# SPDX-License-Identifier: MIT
# view.mk - the page of `tptrace view`: what it holds, and how it behaves in a browser: check-view.

CHECKS += check-view

check-view: all
	$(Q)python3 test/view/check.py --build $(O)

# The same in Firefox (Debian's firefox-esr), where it is installed: 80 MB that `make check` does not ask for.
check-firefox: all
	$(Q)python3 test/view/check.py --build $(O) --only firefox

# How soon pages of a million tasks draw and answer, and how long their frames take.
bench: bench-view
bench-view: all $(O)/bench/synth
	$(Q)mkdir -p $(O)/view/bench
	$(Q)for shape in fork-join flat-loop; do $(O)/bench/synth $$shape $$([ $$shape = flat-loop ] && echo 4000000 || echo 5000000) $(O)/view/bench/$$shape.tpt >/dev/null && \
		$(O)/tptrace view $(O)/view/bench/$$shape.tpt >/dev/null || exit 1; done
	$(Q)python3 test/view/check.py --build $(O) --bench $(O)/view/bench/fork-join.html $(O)/view/bench/flat-loop.html

# The pictures of README, anew: programs run under $(UNDER), such as `chrt --fifo 50` on a machine that is not quiet.
pictures: all
	$(Q)python3 test/view/pictures.py --build $(O) --under "$(UNDER)"

.PHONY: check-view check-firefox bench-view pictures
