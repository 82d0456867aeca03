/* SPDX-License-Identifier: MIT */
/* called.c - CPU time that tasks take in what they call: the kernel, exceptions, text. */
#include "tools/analysis/findings/cause.h"

static const struct cause *cause_of_spot(enum code_spot spot)
{
	static const struct cause *const causes[SPOTS] = { [SPOT_FAULTS] = &cause_faults,
							   [SPOT_CALLS] = &cause_syscalls,
							   [SPOT_THROWS] = &cause_exceptions,
							   [SPOT_FORMATS] = &cause_formatting,
							   [SPOT_MATCHES] = &cause_formatting };

	return causes[spot];
}

/* Memory that a task gives back has to be given again; else each page is used once. */
enum { FAULTS_FIRST, FAULTS_ANEW };
static const struct wording fault_ways[] = {
	[FAULTS_FIRST] = { "first use", "",
			   "the kernel gives each page at its first use, and nothing is given "
			   "back: use the memory again, or huge pages (madvise(MADV_HUGEPAGE)); "
			   "else write it in parallel before" },
	[FAULTS_ANEW] = { "anew", ", and they give the memory back",
			  "allocate once, for a worker or for the run, and use that again; let "
			  "malloc() keep what is freed (MALLOC_TRIM_THRESHOLD_, "
			  "MALLOC_MMAP_THRESHOLD_)" },
};

enum { TEXT_MADE, TEXT_MATCHED };
static const struct wording text_ways[] = {
	[TEXT_MADE] = { "formatting", "formatting text",
			"keep numbers, and format only what is read; use std::to_chars(), or one "
			"stream for many lines instead of a stream each" },
	[TEXT_MATCHED] = { "regular expression", "regular expressions",
			   "build each expression once (a static const std::regex), not in each "
			   "call; where that is done, a matcher that is faster than std::regex, "
			   "or plain comparisons" },
};

static void note_variant(struct finding *finding, const struct cause *cause,
			 const struct kind_spot *spot)
{
	if (spot->spot == SPOT_FAULTS)
		finding->variant = spot->n_returned ? FAULTS_ANEW : FAULTS_FIRST;
	else if (spot->spot == SPOT_FORMATS || spot->spot == SPOT_MATCHES)
		finding->variant = spot->spot == SPOT_MATCHES ? TEXT_MATCHED : TEXT_MADE;
	else
		return;
	FACTS(finding, fact_string("variant", cause->ways[finding->variant].name));
}

static void find_called(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	const struct kind_spots *spots = ledger->clues->spots;

	for (uint32_t i = 0; spots && i < spots->n; i++) {
		const struct kind_spot *spot = &spots->spot[i];
		struct finding *finding;

		if (cause_of_spot(spot->spot) != cause || spot->n < SURE_SAMPLES)
			continue;
		claim_part(ledger, ledger_row(ledger, ROW_WORK, spot->kind),
			   samples_ns(ledger->clues, spot->n));
		finding = finding_claim(findings, cause, ledger, spot->kind);
		if (!finding)
			continue;
		note_variant(finding, cause, spot);
		FACTS(finding, fact_string("function", spot->function),
		      fact_share("of_cpu", (double)spot->n / (double)spot->n_kind));
		if (spot->place[0])
			FACTS(finding, fact_string(spot->is_own ? "at" : "caller", spot->place));
		if (spot->asleep_ns)
			FACTS(finding, fact_ns("slept", spot->asleep_ns));
	}
}

static void say_called(const struct finding *finding, struct sentence *what,
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
	  "Tasks use memory that the kernel has to give them first, page by page: they are the "
	  "first to use an array, or they allocate anew each time, and give that back.",
	  "At least 16 stack samples of the tasks are inside the kernel, and in no system call but "
	  "those for memory: mmap(), munmap(), madvise(), brk().  One that gives memory back shows "
	  "that they do so.  "
	  "Lost: the CPU time that these stand for; it is part of the work.  Without permission to "
	  "sample the kernel (kernel.perf_event_paranoid above 1) this is not seen.",
	  "Where memory is given back: allocate once, for a worker or for the run, and use that "
	  "again; let malloc() keep what is freed (MALLOC_TRIM_THRESHOLD_, "
	  "MALLOC_MMAP_THRESHOLD_).  At the first use of an array: use it again, huge pages, or "
	  "write it in parallel before." },
	.ways = fault_ways,
	.what = "{of_cpu} of the CPU time of these tasks is in page faults",
	.find = find_called,
	.say = say_called,
};

const struct cause cause_syscalls = {
	{ "syscalls", "system calls inside tasks",
	  "Tasks call the kernel so often, or for so much, that it takes a good part of their "
	  "time: "
	  "input and output, memory that is mapped and unmapped, clocks, files that are opened.",
	  "At least 16 stack samples of the tasks are in system calls that wait for no lock.  "
	  "Lost: the CPU time that these stand for; it is part of the work.  Without permission to "
	  "sample the kernel (kernel.perf_event_paranoid above 1) this is not seen.",
	  "Larger pieces at a time: buffers, one write for many lines; open files once; allocate "
	  "once." },
	.what = "{of_cpu} of the CPU time of these tasks is in system calls",
	.advice = "fewer calls for more at a time: buffer what is read or written, open files "
		  "once, allocate once",
	.find = find_called,
	.say = say_called,
};

const struct cause cause_exceptions = {
	{ "exceptions", "exceptions inside tasks",
	  "Tasks throw exceptions so often that finding who catches them takes a good part of "
	  "their time.",
	  "At least 16 stack samples of the tasks are in functions that throw, unwind or catch.  "
	  "Lost: the CPU time that these stand for; it is part of the work.",
	  "Return what is expected (std::optional, an error code), and throw what is not." },
	.what = "{of_cpu} of the CPU time of these tasks is spent on exceptions",
	.advice = "return what is expected to fail (std::optional, an error code), and throw only "
		  "what is not",
	.find = find_called,
	.say = say_called,
};

const struct cause cause_formatting = {
	{ "formatting", "text work inside tasks",
	  "Tasks make or match text so often that this takes a good part of their time: streams, "
	  "locales, printf() and its like, times of day, regular expressions.",
	  "At least 16 stack samples of the tasks are in functions of streams and locales, in "
	  "printf(), scanf() and their like, or localtime(); or in std::regex, regcomp() or "
	  "regexec().  Those that wait for a lock there, or are inside the kernel, count elsewhere "
	  "(contention, syscalls).  Lost: the CPU time that these stand for; it is part of the "
	  "work.",
	  "Keep numbers, and format what is read in the end; std::to_chars(); one stream for many "
	  "lines; no logging where it is not read.  Build a regular expression once." },
	.ways = text_ways,
	.what = "{of_cpu} of the CPU time of these tasks is in ",
	.find = find_called,
	.say = say_called,
};
