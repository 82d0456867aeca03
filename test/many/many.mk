# SPDX-License-Identifier: MIT
# many.mk - traces of many processes, and where they are put: check-many.

CHECKS += check-many

check-many: all $(O)/bench/synth
	$(Q)python3 test/many/report.py --build $(O)
	$(Q)python3 test/many/ranks.py --tptrace $(O)/tptrace
	$(Q)python3 test/many/figures.py --tptrace $(O)/tptrace
	$(Q)python3 test/many/files.py --build $(O)
	$(Q)python3 test/many/hostile.py --tptrace $(O)/tptrace
	$(Q)python3 test/many/names.py --tptrace $(O)/tptrace
	$(Q)python3 test/many/jobs.py --build $(O)
	$(Q)python3 test/many/archive.py --tptrace $(O)/tptrace
	$(Q)python3 test/many/threads.py --build $(O)

.PHONY: check-many
