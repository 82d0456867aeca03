# SPDX-License-Identifier: MIT
# clock.mk - which clock the recorder takes, and what depends on it with the other one: check-clock.

CHECKS += check-clock

# Checks that run with the default clock elsewhere, and that a clock could break.
CLOCK_LIVE    := spin_is findings_are killed_program
CLOCK_UNIT    := worker_test worker_threads_test worker_thins_test clock_choice_test trial_test
CLOCK_CONTROL := phases_and_regions on_in_the_middle_alone outside dropped

check-clock: all $(UNIT)
	$(Q)python3 test/clock/check.py --build $(O)
	$(Q)export TPTRACE_CLOCK=$$(python3 test/clock/check.py --build $(O) --other); \
	echo "with TPTRACE_CLOCK=$$TPTRACE_CLOCK"; \
	for t in $(CLOCK_UNIT); do \
		$(O)/unit/$$t >$(O)/clock/unit.log 2>&1 || { cat $(O)/clock/unit.log; exit 1; }; done; \
	python3 test/live/check.py --build $(O) $(CLOCK_LIVE) && \
	python3 test/control/check.py --build $(O) $(CLOCK_CONTROL)

.PHONY: check-clock
