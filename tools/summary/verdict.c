/* SPDX-License-Identifier: MIT */
/* verdict.c - the sentences that say how much is lost, and to what. */
#include "tools/summary/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/analysis/findings/sentence.h"
#include "tools/base/at_most.h"
#include "tools/base/units.h"
#include "tools/summary/found.h"
#include "tools/summary/hottest.h"
#include "tools/base/ratio.h"

#define SENTENCE (VERDICT_TEXT / 6)
#define ONE_CAUSE .5	/* of what is lost, for one finding to be named */
#define BOUND_TOLD .95	/* of elapsed, for the bound to be worth a sentence */
#define LITTLE .05	/* of elapsed x P */

/* The part of the process's time before the runtime's first activity and after its last. */
static double outside_of(const struct summary *summary)
{
	uint64_t ns = summary->ends.head.ns + summary->ends.tail.ns;

	return summary->run->select.part || !ns
		       ? 0
		       : (double)ns / (double)(ns + summary->dag->elapsed_ns);
}

/* CPUs that the process may use; at least its workers, where that is not known. */
static uint64_t cpus_of(const struct summary *summary)
{
	uint64_t cpus = summary->run->machine.cpus;

	return cpus ? cpus : summary->dag->n_workers;
}

static struct least least_on_cpus(const struct summary *summary)
{
	struct least least = summary->least;

	least.work_ns -= at_most(summary->machine.total.off_least_ns, least.work_ns);
	return least;
}

/* No run of these tasks on so many CPUs is shorter. */
static uint64_t bound_on(const struct summary *summary, uint64_t cpus)
{
	struct least least = least_on_cpus(summary);

	return cpus ? least_on(&least, cpus) : least_on_any(&least);
}

/* Whether more workers, as many as there are CPUs, could end sooner. */
static bool is_narrow(const struct summary *summary)
{
	uint64_t cpus = cpus_of(summary);

	return cpus > summary->dag->n_workers &&
	       (double)bound_on(summary, cpus) < BOUND_TOLD * (double)summary->elapsed_ns;
}

/* Of elapsed x P: in which workers ran nothing, and what findings have of work. */
static double lost_share(const struct summary *summary)
{
	double all = (double)summary->cumulative_ns;

	return all > 0 ? (double)summary->findings.total_ns / all : 0;
}

static bool is_little(const struct summary *summary)
{
	return lost_share(summary) < LITTLE && !is_narrow(summary) &&
	       outside_of(summary) < OUTSIDE_TOLD;
}

/* ", 0.9 on a CPU", where workers had none for much of their work. */
static void say_on_cpu(char text[40], const struct summary *summary)
{
	const struct machine_row *total = &summary->machine.total;
	double ns = (double)(total->work_ns - at_most(total->off_least_ns, total->work_ns));

	if ((double)total->off_least_ns > LITTLE * (double)total->work_ns && summary->elapsed_ns)
		snprintf(text, 40, ", %.1f on a CPU", ns / (double)summary->elapsed_ns);
}

static int say_lost(char *text, const struct summary *summary)
{
	uint64_t work = summary->breakdown.total.work_ns, all = summary->cumulative_ns;
	double busy = ratio(work, summary->elapsed_ns);
	uint32_t n_workers = summary->dag->n_workers;
	bool little = is_little(summary);
	char time[2][UNITS_TIME], on[40] = "", run[40] = "";

	if (cpus_of(summary) < n_workers)
		snprintf(on, sizeof(on), " on %" PRIu64 " CPU%s", cpus_of(summary),
			 units_s(cpus_of(summary)));
	say_on_cpu(run, summary);
	return snprintf(text, SENTENCE,
			"%.1f of %u worker%s in tasks%s%s.%s %s of %s worker time%s (%.0f %%)",
			busy, n_workers, n_workers == 1 ? " was" : "s were", on, run,
			little ? " Little is lost:" : "",
			units_time(time[0], summary->findings.total_ns), units_time(time[1], all),
			little ? "" : " are lost", 100 * lost_share(summary));
}

static bool is_one_lock(const struct finding *finding)
{
	return strcmp(finding->id, "lock") == 0 && finding->lock && finding->lock->n_objects == 1;
}

/* What most of it, or all that is shown, is lost to. */
static int say_cause(char *text, const struct summary *summary, uint32_t n_shown)
{
	const struct findings *findings = &summary->findings;
	double total = (double)findings->total_ns, shown = 0;
	int n = 0;

	for (uint32_t i = 0; i < n_shown && total > 0; i++) {
		const struct finding *finding = &findings->finding[i];

		shown += (double)finding->lost_ns;
		if (n == 0 && (double)finding->lost_ns >= ONE_CAUSE * total)
			n = snprintf(text, SENTENCE, "; %.0f %% of that is one %s%s",
				     100 * (double)finding->lost_ns / total,
				     is_one_lock(finding) ? "" : "cause: ",
				     findings_explain(finding->id)->title);
	}
	if (n == 0 && shown > 0)
		n = snprintf(text, SENTENCE, "; %.0f %% of that is explained below",
			     100 * shown / total);
	return n + snprintf(text + n, SENTENCE - (size_t)n, ".");
}

static const char *const why_least[] = { [LEAST_WORK] = "work / P",
					 [LEAST_SPAN] = "longest path",
					 [LEAST_LOCK] = "work under one lock" };

/* How short a run of these tasks could be, and on how many CPUs. */
static int say_bound(char *text, const struct summary *summary)
{
	uint64_t cpus = cpus_of(summary), n_workers = summary->dag->n_workers;
	uint64_t bound_ns = cpus < n_workers ? bound_on(summary, cpus) : summary->bound_ns;
	struct least least = cpus < n_workers ? least_on_cpus(summary) : summary->least;
	enum least_why why = least_why(&least, cpus < n_workers ? cpus : n_workers);
	char time[UNITS_TIME];
	int n = 0;

	if ((double)bound_ns < BOUND_TOLD * (double)summary->elapsed_ns)
		n = snprintf(text, SENTENCE,
			     " %s is the best that these tasks allow on %" PRIu64 " %s%s (%s).",
			     units_time(time, bound_ns), cpus < n_workers ? cpus : n_workers,
			     cpus < n_workers ? "CPU" : "worker",
			     units_s(cpus < n_workers ? cpus : n_workers), why_least[why]);
	if (is_narrow(summary))
		n += snprintf(text + n, SENTENCE - (size_t)n,
			      " The process may use %" PRIu64
			      " CPUs, and as many workers need %s at best (%s).",
			      cpus, units_time(time, bound_on(summary, cpus)),
			      setting_of(found_runtime(summary)));
	return n;
}

/* Whether a finding says so, or tasks take so much more beside others than beside the fewest. */
#define MAY_STRETCH 1.3 /* as findings have it (beside.c), without what else these ask for */
static bool may_be_stretched(const struct summary *summary)
{
	const struct findings *findings = &summary->findings;
	const struct crowded *crowded = &summary->crowded;

	for (uint32_t i = 0; i < findings->n; i++)
		if (!strcmp(findings->finding[i].id, "contention") ||
		    !strcmp(findings->finding[i].id, "stretch"))
			return true;
	/* where work is mostly waits for CPUs, nobody knows */
	if (machine_inflates(&summary->run->machine, &summary->machine.total, summary->dag))
		return false;
	for (uint32_t i = 0; i < crowded->n; i++)
		if (crowded->row[i].what == CROWDED_BESIDE && crowded->row[i].factor >= MAY_STRETCH)
			return true;
	return false;
}

/* Whether workers slow each other: what the baseline says; or that it would, if something speaks
 * for it. */
static int say_stretch(char *text, const struct summary *summary)
{
	if (summary->baseline && isfinite(summary->crowded.factor))
		return snprintf(text, SENTENCE,
				" Tasks take %.2f x the CPU time that they take with one worker.",
				summary->crowded.factor);
	if (summary->baseline || summary->dag->n_workers < 2 || !may_be_stretched(summary))
		return 0;
	return snprintf(text, SENTENCE,
			" Workers may slow each other: `tptrace record --baseline` tells by how "
			"much.");
}

/* Whether a finding that is shown has most of the tasks' CPU time, or names that place. */
static bool is_found(const struct summary *summary, uint32_t n_shown, const char *place)
{
	for (uint32_t i = 0; i < n_shown; i++) {
		const struct fact *of = fact_of(&summary->findings.finding[i], "of_cpu");
		const struct fact *at = fact_of(&summary->findings.finding[i], "hot_at");

		if ((of && of->real >= ONE_CAUSE) || (at && strcmp(at->text, place) == 0))
			return true;
	}
	return false;
}

/* Where the tasks' CPU time goes. */
static int say_code(char *text, const struct summary *summary, uint32_t n_shown)
{
	struct hottest hot = hottest_find(&summary->code);
	char place[128] = "";

	if (hot.place)
		place_text(place, sizeof(place), hot.place);
	if (hot.share == 0 || is_found(summary, n_shown, place))
		return 0;
	if (hot.is_memory)
		return snprintf(text, SENTENCE,
				" %.0f %% of the tasks' CPU time is to allocate, free and copy "
				"memory%s%s.",
				100 * hot.share, hot.place ? ", most at " : "", place);
	return snprintf(text, SENTENCE, " %.0f %% of the tasks' CPU time is at %s%s%.100s.",
			100 * hot.share, place, hot.called ? ", most in " : "", hot.called ?: "");
}

/* What no figure below is about. */
static void say_outside(char *text, const struct summary *summary)
{
	double outside = outside_of(summary);

	if (outside >= OUTSIDE_TOLD)
		snprintf(text, SENTENCE,
			 " All this is about %.0f %% of the program's time: the rest lies "
			 "before its first call of the runtime or after the last, where "
			 "more workers do not help.",
			 100 - 100 * outside);
}

void verdict_say(char text[VERDICT_TEXT], const struct summary *summary, uint32_t n_shown)
{
	int n = say_lost(text, summary);

	n += say_cause(text + n, summary, n_shown);
	/* where work is mostly waits for CPUs, nobody knows what these tasks need */
	if (!machine_inflates(&summary->run->machine, &summary->machine.total, summary->dag))
		n += say_bound(text + n, summary);
	n += say_stretch(text + n, summary);
	n += say_code(text + n, summary, n_shown);
	say_outside(text + n, summary);
}
