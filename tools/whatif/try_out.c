/* SPDX-License-Identifier: MIT */
/* try_out.c - a row of a forecast for each remedy. */
#include "tools/whatif/try_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/findings/remedy.h"
#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/xalloc.h"
#include "tools/whatif/against.h"
#include "tools/whatif/simulable.h"
#include "tools/whatif/what_if.h"
#include "tools/model/forecast.h"

#define RUNS 5u /* as `tptrace simulate` by default */
#define SEED 1u

_Static_assert(TRIED_EXPERIMENTS >= EXPERIMENTS_MOST, "each experiment has its place");
_Static_assert(TRIED_MOST >= REMEDIES_MOST, "each remedy has its place");

struct trying {
	struct tried *tried;
	const struct run *run;
	const struct summary *summary;
	const struct experiments *experiments; /* NULL */
	struct forecast forecast;
	struct policy policy;
	struct points_wanted wanted;
	struct schedule schedule; /* wanted.schedule */
	bool schedules;
	uint64_t left; /* strands that may be simulated */
};

/* ---- remedies as options ---- */

static int write_of_kind(char out[TRIED_TEXT], const struct run *run, enum what_if what,
			 const struct remedy *remedy)
{
	char name[TRIED_TEXT - 40];

	if (!what_if_kind(run, remedy->kind, name, sizeof(name)))
		return -ENOENT;
	if (what == IF_SPLIT || what == IF_MERGE)
		snprintf(out, TRIED_TEXT, "%s:%llu", name, (unsigned long long)remedy->n);
	else if (what == IF_CALL)
		snprintf(out, TRIED_TEXT, "%s=%lluns", name, (unsigned long long)remedy->n);
	else if (what == IF_SPEED)
		snprintf(out, TRIED_TEXT, "%s=%.3f", name, remedy->factor);
	else
		snprintf(out, TRIED_TEXT, "%s", name);
	return 0;
}

/* Whether remedy->kind counts. */
static bool is_of_kind(const struct remedy *remedy)
{
	return remedy->what <= REMEDY_SPEED;
}

/* The option, and its value; -ENOENT if no option says that. */
static int write_option(char out[TRIED_TEXT], const struct run *run, const struct remedy *remedy,
			enum what_if *what)
{
	static const struct {
		enum what_if what;
		const char *value; /* NULL: by the remedy's kind or site */
	} option[] = {
		[REMEDY_SPLIT] = { IF_SPLIT, NULL },
		[REMEDY_MERGE] = { IF_MERGE, NULL },
		[REMEDY_CALL] = { IF_CALL, NULL },
		[REMEDY_LONGEST_FIRST] = { IF_LONGEST_FIRST, NULL },
		[REMEDY_SPEED] = { IF_SPEED, NULL },
		[REMEDY_WITHOUT_LOCK] = { IF_WITHOUT_LOCK, NULL },
		[REMEDY_UNTIED] = { IF_UNTIED, "" },
		[REMEDY_NO_THROTTLE] = { IF_NO_THROTTLE, "" },
		[REMEDY_FREE_CREATE] = { IF_COST, "create=0" },
		[REMEDY_FREE_STEAL] = { IF_COST, "steal=0" },
		[REMEDY_FREE_INSIDE] = { IF_COST, "inside=0" },
	};
	const char *value = option[remedy->what].value;

	*what = option[remedy->what].what;
	snprintf(out, TRIED_TEXT, "%s", value ? value : "");
	if (value)
		return 0;
	if (remedy->what == REMEDY_WITHOUT_LOCK)
		return what_if_lock(run, remedy->site, out, TRIED_TEXT) ? 0 : -ENOENT;
	return write_of_kind(out, run, *what, remedy);
}

/* ---- simulations ---- */

static struct tried_time time_of(const struct point *point)
{
	return (struct tried_time){ point->outcome.elapsed_ns, point->low_ns, point->high_ns };
}

static uint64_t strands_of_a_row(const struct trying *trying)
{
	return (uint64_t)trying->run->dag.n_strands * trying->wanted.n_runs;
}

/* Whether the policy, or any strand, is other than it was. */
static bool did_anything(const struct trying *trying, const struct policy *policy,
			 const struct remedy *remedy)
{
	const struct forecast_row *row = &trying->forecast.row[trying->forecast.n_rows - 1];

	switch (remedy->what) {
	case REMEDY_UNTIED:
	case REMEDY_NO_THROTTLE:
		return policy->tied != trying->policy.tied || policy->bar != trying->policy.bar ||
		       policy->throttle != trying->policy.throttle ||
		       policy->room != trying->policy.room;
	case REMEDY_WITHOUT_LOCK:
	case REMEDY_FREE_CREATE:
	case REMEDY_FREE_STEAL:
	case REMEDY_FREE_INSIDE:
		return true;
	default:
		return row->n_changed > 0;
	}
}

/* The experiments that slowed the kind which the change is of, or else the finding. */
static void judge(const struct trying *trying, struct tried_change *change, kind_id kind)
{
	struct tried *tried = trying->tried;

	for (uint32_t i = 0; i < tried->n_experiments; i++) {
		struct tried_experiment *experiment = &tried->experiment[i];

		if (!against_has(&trying->experiments->slowed[i], trying->run, kind))
			continue;
		change->experiments |= 1u << i;
		change->is_withdrawn |= experiment->verdict == TRIED_DISAGREES;
		experiment->is_of_advice = true;
	}
}

static struct tried_change *keep(struct trying *trying, struct tried_finding *finding,
				 enum what_if what, const char *value, bool is_bound)
{
	const struct forecast_row *row = &trying->forecast.row[trying->forecast.n_rows - 1];
	struct tried_change *change = &finding->change[finding->n++];

	snprintf(change->change, sizeof(change->change), "--%s%s%.*s", what_if_name[what],
		 *value ? " " : "", (int)(TRIED_TEXT - 30), value);
	change->time = time_of(row->point);
	change->is_bound = is_bound;
	change->schedule = trying->schedule;
	trying->schedule = (struct schedule){ 0 };
	return change;
}

/* The lock's other places, too; adds their options to the value. */
static int unlock_others(const struct trying *trying, const struct lock *lock, char *value,
			 struct changes *changes, struct policy *policy, struct err *err)
{
	const struct locks *locks = &trying->summary->locks;
	int error = 0;

	for (uint32_t i = 0; i < locks->n && lock->n_places > 1 && !error; i++) {
		const struct lock *other = &locks->lock[i];
		char name[100];
		size_t n = strlen(value);

		if (other->object != lock->object || other->n_objects > 1 ||
		    !what_if_lock(trying->run, other->site, name, sizeof(name)) ||
		    strstr(value, name))
			continue;
		error = what_if_add(changes, policy, trying->run, IF_WITHOUT_LOCK, name, err);
		snprintf(value + n, TRIED_TEXT - n, " --%s %s", what_if_name[IF_WITHOUT_LOCK],
			 name);
	}
	return error;
}

static int try_remedy(struct trying *trying, uint32_t finding, const struct remedy *remedy,
		      struct err *err)
{
	const struct finding *of = &trying->summary->findings.finding[finding];
	kind_id kind = is_of_kind(remedy) ? remedy->kind : of->kind;
	struct changes changes = { 0 };
	struct policy policy = trying->policy;
	char value[TRIED_TEXT];
	enum what_if what;
	int error = write_option(value, trying->run, remedy, &what);

	if (error)
		return 0;
	error = what_if_add(&changes, &policy, trying->run, what, value, err);
	if (!error && remedy->what == REMEDY_WITHOUT_LOCK && of->lock)
		error = unlock_others(trying, of->lock, value, &changes, &policy, err);
	if (!error)
		error = forecast_add(&trying->forecast, value, &changes, &policy, &trying->wanted,
				     err);
	if (!error && did_anything(trying, &policy, remedy))
		judge(trying,
		      keep(trying, &trying->tried->finding[finding], what, value, remedy->is_bound),
		      kind);
	schedule_free(&trying->schedule);
	changes_free(&changes);
	return error == -ERR_NAME || error == -EDEADLK ? 0 : error;
}

ORDER(by_elapsed, struct tried_change, BY_LEAST(time.elapsed_ns))

static int try_finding(struct trying *trying, uint32_t i, struct err *err)
{
	const struct finding *of = &trying->summary->findings.finding[i];
	struct tried_finding *finding = &trying->tried->finding[i];
	struct remedy remedy[REMEDIES_MOST];
	uint32_t n = remedies_of(of, &trying->run->dag, &trying->summary->breakdown, remedy);
	int error = 0;

	if (n && trying->left < n * strands_of_a_row(trying)) {
		finding->is_left_out = true;
		trying->tried->n_left_out++;
		return 0;
	}
	trying->left -= n * strands_of_a_row(trying);
	for (uint32_t r = 0; r < n && !error; r++)
		error = try_remedy(trying, i, &remedy[r], err);
	SORT(finding->change, finding->n, by_elapsed);
	for (uint32_t c = 1; c < finding->n; c++)
		schedule_free(&finding->change[c].schedule);
	return error;
}

static uint32_t n_remedies(const struct trying *trying, uint32_t finding)
{
	struct remedy remedy[REMEDIES_MOST];

	return remedies_of(&trying->summary->findings.finding[finding], &trying->run->dag,
			   &trying->summary->breakdown, remedy);
}

static uint32_t count_remedies(const struct trying *trying)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < trying->summary->findings.n; i++)
		n += n_remedies(trying, i);
	return n;
}

/* What a simulation on that number of workers repeats, whatever is changed; NULL. */
static const char *nobody_helped(const struct trying *trying)
{
	const struct forecast *forecast = &trying->forecast;
	uint32_t n_workers = trying->tried->n_workers;

	if (n_workers > 1 && forecast->n_never + 1 >= n_workers)
		return "one worker alone ran all of this trace";
	return forecast->no_steal ? "idle workers of this trace never took the tasks that they "
				    "could have"
				  : NULL;
}

/* The recorded run first: what does not give that back is not asked for more. */
static int try_baseline(struct trying *trying, struct err *err)
{
	struct tried *tried = trying->tried;
	uint64_t off, recorded = trying->run->dag.elapsed_ns;
	struct changes none = { 0 };
	const char *why;
	int error = forecast_add(&trying->forecast, "as recorded", &none, &trying->policy,
				 &trying->wanted, err);

	if (error)
		return error;
	trying->left -= strands_of_a_row(trying);
	tried->recorded_ns = recorded;
	tried->baseline = time_of(trying->forecast.row[0].point);
	off = above(tried->baseline.elapsed_ns, recorded) +
	      above(recorded, tried->baseline.elapsed_ns);
	tried->is_trusted = off * TRIED_TRUST <= recorded;
	why = nobody_helped(trying);
	if (!why)
		return 0;
	tried->is_trusted = false;
	tried->why = xstrdup(why);
	tried->why_not = tried->why;
	return 0;
}

/* What slowing a kind did, simulated from the same baseline as all advice. */
static int try_experiment(struct trying *trying, uint32_t i, struct err *err)
{
	static const enum tried_verdict told[] = { [AGAINST_AGREES] = TRIED_AGREES,
						   [AGAINST_DISAGREES] = TRIED_DISAGREES,
						   [AGAINST_FEW] = TRIED_OPEN,
						   [AGAINST_NOISY] = TRIED_OPEN,
						   [AGAINST_NONE] = TRIED_OPEN };
	const struct against_side *slowed = &trying->experiments->slowed[i];
	struct tried_experiment *experiment = &trying->tried->experiment[i];
	struct against against = { .plain = &trying->experiments->plain, .slowed = slowed };
	struct forecast *forecast = &trying->forecast;
	struct policy policy = trying->policy;
	struct changes changes = { 0 };
	int error = against_change(&changes, &policy, trying->run, slowed, err)
			    ?: forecast_add(forecast, "slowed", &changes, &policy, &trying->wanted,
					    err);

	changes_free(&changes);
	if (error)
		return error;
	trying->left -= strands_of_a_row(trying);
	against_judge(&against, forecast->row[0].point, forecast->row[forecast->n_rows - 1].point);
	snprintf(experiment->slowed, sizeof(experiment->slowed), "%.*s", (int)(TRIED_TEXT - 1),
		 slowed->slowed);
	experiment->verdict = told[against.verdict];
	experiment->name = against_verdict_name[against.verdict];
	experiment->measured = against.measured.middle;
	experiment->predicted = against.predicted.middle;
	trying->tried->n_experiments++;
	return 0;
}

static int try_all(struct trying *trying, struct err *err)
{
	uint32_t n = trying->summary->findings.n;
	struct tried *tried = trying->tried;
	int error = try_baseline(trying, err);

	if (error || !tried->is_trusted)
		return error;
	tried->finding = xcalloc(n + 1ull, sizeof(*tried->finding));
	tried->n_findings = n;
	for (uint32_t i = 0; trying->experiments && i < trying->experiments->n && !error; i++)
		error = try_experiment(trying, i, err);
	trying->wanted.schedule = trying->schedules ? &trying->schedule : NULL;
	for (uint32_t i = 0; i < n && !error; i++)
		error = try_finding(trying, i, err);
	return error;
}

/* Rows before those of the remedies. */
static uint64_t n_first(const struct trying *trying)
{
	return 1ull + (trying->experiments ? trying->experiments->n : 0);
}

/* Runs of each change, so that all of them fit; 0 if the recorded run alone is too much. */
static uint32_t runs_for(const struct trying *trying)
{
	uint64_t n = trying->run->dag.n_strands, rows = count_remedies(trying) + n_first(trying);

	if (n * RUNS * rows <= TRY_STRANDS)
		return RUNS;
	return (n_first(trying) + 1) * n <= TRY_STRANDS ? 1 : 0;
}

/* Why a page shows no simulation: no finding has a remedy, or the first one that has is too much
 * work; NULL. */
static const char *shows_none(const struct trying *trying)
{
	uint32_t i = 0, n = trying->summary->findings.n;

	while (i < n && !n_remedies(trying, i))
		i++;
	if (i == n)
		return "there is no change of this run that a simulation could try";
	return trying->left < (n_first(trying) + n_remedies(trying, i)) * strands_of_a_row(trying)
		       ? "this trace is large; `tptrace report --what-if` does it"
		       : NULL;
}

int try_out(struct tried *tried, const struct summary *summary, const struct try_wanted *wanted,
	    struct err *err)
{
	struct trying trying = { .tried = tried,
				 .run = summary->run,
				 .summary = summary,
				 .experiments = wanted->experiments,
				 .schedules = wanted->schedules,
				 .left = wanted->strands_most };
	const struct dag *dag = &summary->run->dag;
	struct err refused = { 0 };
	int error;

	*tried = (struct tried){ .n_workers = dag->n_workers, .seed = SEED };
	trying.forecast.recorded_policy =
		policy_of_run(simulable_runtime(summary->run), &summary->run->dag);
	trying.policy = *trying.forecast.recorded_policy;
	tried->policy = policy_find(trying.policy.name)->name;
	trying.wanted = (struct points_wanted){
		.workers = &tried->n_workers, .n = 1, .n_runs = runs_for(&trying), .seed = SEED
	};
	tried->n_runs = trying.wanted.n_runs;
	if (simulable(summary->run, &refused) < 0) {
		tried->why = xstrdup(refused.text);
	} else if (!tried->n_runs) {
		tried->why =
			xstrdup("this trace is too large; `tptrace simulate` tries one change");
	} else if (wanted->schedules && shows_none(&trying)) {
		tried->why = xstrdup(shows_none(&trying));
	} else {
		trying.forecast.dag = dag;
		trying.forecast.own_policy = true;
		trying.forecast.cpu_wait_ns = machine_wait_ns(&trying.run->machine, dag);
		error = try_all(&trying, err);
		forecast_free(&trying.forecast);
		return error;
	}
	tried->why_not = tried->why;
	return 0;
}

void try_out_free(struct tried *tried)
{
	for (uint32_t i = 0; i < tried->n_findings; i++)
		schedule_free(&tried->finding[i].change[0].schedule);
	free(tried->finding);
	free(tried->why);
	*tried = (struct tried){ 0 };
}
