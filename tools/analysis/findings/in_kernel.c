/* SPDX-License-Identifier: MIT */
/* in_kernel.c - CPU time that tasks take inside the kernel: page faults, and system calls. */
#include "tools/analysis/findings/cause.h"

static void find_in_kernel(struct ledger *ledger, struct findings *findings,
			   const struct cause *cause)
{
	const struct kind_spots *spots = ledger->clues->spots;
	enum code_spot which = cause == &cause_faults ? SPOT_FAULTS : SPOT_CALLS;

	for (uint32_t i = 0; spots && i < spots->n; i++) {
		const struct kind_spot *spot = &spots->spot[i];
		struct finding *finding;

		if (spot->spot != which || spot->n < SURE_SAMPLES)
			continue;
		claim_part(ledger, ledger_row(ledger, ROW_WORK, spot->kind),
			   samples_ns(ledger->clues, spot->n));
		finding = finding_claim(findings, cause, ledger, spot->kind);
		if (!finding)
			continue;
		FACTS(finding, fact_string("function", spot->function),
		      fact_share("of_cpu", (double)spot->n / (double)spot->n_kind));
		if (spot->place[0])
			FACTS(finding, fact_string(spot->is_own ? "at" : "caller", spot->place));
		if (spot->asleep_ns)
			FACTS(finding, fact_ns("slept", spot->asleep_ns));
	}
}

static void say_in_kernel(const struct finding *finding, struct sentence *what,
			  struct sentence *advice)
{
	if (fact_of(finding, "at"))
		say(what, ", most at {at}");
	else if (fact_of(finding, "caller"))
		say(what, ", most in {function}, called from {caller}");
	else
		say(what, ", most in {function}");
	if (fact_of(finding, "slept"))
		say(what, "; besides, they slept in it for {slept}");
	(void)advice;
}

const struct cause cause_faults = {
	{ "faults", "page faults inside tasks",
	  "Tasks use memory that the kernel has to give them first, page by page, mostly since "
	  "they "
	  "allocate it anew each time, and give it back.",
	  "At least 16 stack samples of the tasks are inside the kernel, but not in a system call. "
	  "Lost: the CPU time that these stand for; it is part of the work.  Without permission to "
	  "sample the kernel (kernel.perf_event_paranoid above 1) this is not seen.",
	  "Allocate once, for a worker or for the run, and use that again; let malloc() keep what "
	  "is freed (MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_); huge pages for what is "
	  "large." },
	.what = "{of_cpu} of the CPU time of these tasks is in page faults",
	.advice = "allocate once, for a worker or for the run, and use that again; let malloc() "
		  "keep what is freed (MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_)",
	.find = find_in_kernel,
	.say = say_in_kernel,
};

const struct cause cause_syscalls = {
	{ "syscalls", "system calls inside tasks",
	  "Tasks call the kernel so often, or for so much, that it takes a good part of their "
	  "time: "
	  "input and output, memory that is mapped and unmapped, clocks, files that are opened.",
	  "At least 16 stack samples of the tasks are in system calls that wait for no lock.  "
	  "Lost: "
	  "the CPU time that these stand for; it is part of the work.  Without permission to "
	  "sample "
	  "the kernel (kernel.perf_event_paranoid above 1) this is not seen.",
	  "Larger pieces at a time: buffers, one write for many lines; open files once; allocate "
	  "once." },
	.what = "{of_cpu} of the CPU time of these tasks is in system calls",
	.advice = "fewer calls for more at a time: buffer what is read or written, open files "
		  "once, allocate once",
	.find = find_in_kernel,
	.say = say_in_kernel,
};
