/* SPDX-License-Identifier: MIT */
/* virtual_model.c - makes the file of a run's times, and passes it to the program. */
#include "tools/whatif/virtual_model.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/probes/counters/counters.h"
#include "collector/session/hello.h"
#include "preload/probes/virtual/virtual_file.h"
#include "tools/base/order.h"
#include "tools/base/say.h"
#include "tools/base/xalloc.h"
#include "tools/whatif/simulable.h"
#include "tools/whatif/slow_kinds.h"
#include "tools/whatif/what_if.h"
#include "tools/model/fits.h"
#include "tools/model/leads.h"

#define CLASSES_MOST 250u /* KINDS_MOST of preload/probes/kind_list.h */
#define COSTS_MOST 1000.0
#define FITS_SEED 1u
#define LEADS_DRAWN 4096u

_Static_assert((int)VIRTUAL_JOINS == (int)FIT_JOINS, "strands begin alike");
_Static_assert((int)VIRTUAL_GOES_ON == (int)STEP_GOES_ON, "strands end alike");
_Static_assert((int)VIRTUAL_LEAD_YIELD == (int)LEAD_YIELD, "leads have one order");

struct making {
	const struct run *run;
	struct graph graph;
	struct leads leads;
	struct fits fits;
	double costs;
	uint8_t *class; /* by kind; 0: nothing says where its code is */
	char *kinds;
	size_t kinds_bytes;
	struct virtual_group *group; /* n_groups */
	uint64_t *value;	     /* n_values */
	uint64_t n_groups, group_room, n_values, value_room;
	struct virtual_values lead[VIRTUAL_LEADS];
};

/* ---- what the run has to be ---- */

static bool is_body(const struct dag *dag, strand_id s)
{
	return !dag_is_node(dag, s) && dag->kind_what[dag_kind(dag, s)] >= KIND_TASK;
}

static int check_strand(const struct run *run, strand_id s, struct err *err)
{
	static const char *const does[] = { [WIRE_CREATE] = "create tasks",
					    [WIRE_FORK] = "open parallel regions or loops",
					    [WIRE_WAIT] = "wait",
					    [WIRE_YIELD] = "yield",
					    [WIRE_SIGNAL] = "release locks or events" };
	const char *path = reader_facts(run->reader)->path;
	uint8_t end = run->dag.how[s] & STRAND_ENDED_BY;
	char name[512] = "?";

	if (end == WIRE_END)
		return 0;
	what_if_kind(run, dag_kind(&run->dag, s), name, sizeof(name));
	return err_set(err, EINVAL,
		       "%s: tasks of %s %s, so their code has to run, and under --virtual no "
		       "task's does; use `tptrace simulate`",
		       path, name,
		       end < sizeof(does) / sizeof(does[0]) && does[end] ? does[end]
									 : "call the runtime");
}

static bool can_be_virtual(const char *runtime)
{
	static const char *const can[] = { "libgomp", "libomp", "StarPU" };

	for (size_t i = 0; runtime && i < sizeof(can) / sizeof(can[0]); i++)
		if (strcmp(runtime, can[i]) == 0)
			return true;
	return false;
}

static int check(const struct run *run, struct err *err)
{
	const char *path = reader_facts(run->reader)->path;
	const struct dag *dag = &run->dag;
	const char *runtime = simulable_runtime(run);
	int error = simulable(run, err);

	if (!error && !can_be_virtual(runtime))
		error = err_set(err, EINVAL,
				"%s: its tasks are of %s; --virtual needs a program on libgomp, "
				"libomp or StarPU",
				path, runtime ? runtime : "no known runtime");
	if (!error && (dag->n_collapsed || dag->n_collapsed_tasks))
		error = err_set(err, ENODATA,
				"%s: has collapsed tasks, whose times are not known one by one; "
				"record it with --collapse=off",
				path);
	if (!error && sites_changed(&run->sites, 0))
		error = err_set(err, ESTALE, "%s: %s has changed since; record it once more", path,
				sites_changed(&run->sites, 0));
	if (!error && defs_meta(reader_defs(run->reader), "virtual"))
		error = err_set(err, EINVAL,
				"%s was recorded with --virtual; name a real recording", path);
	for (strand_id s = 0; s < dag->n_strands && !error; s++)
		if (is_body(dag, s))
			error = check_strand(run, s, err);
	return error;
}

/* ---- kinds ---- */

static int put_kinds(struct making *making, struct err *err)
{
	const struct run *run = making->run;
	FILE *out = xopen_memstream(&making->kinds, &making->kinds_bytes);
	char place[PLACES_BYTES], name[512];
	uint32_t n = 0;
	bool known = true;

	for (kind_id kind = 0; kind < run->dag.n_kinds && known; kind++) {
		bool first = true;

		if (!places_one(run, kind, place))
			continue;
		if (n == CLASSES_MOST) {
			xclose_memstream(out);
			return err_set(err, E2BIG, "%s: has more than %u kinds of tasks",
				       reader_facts(run->reader)->path, CLASSES_MOST);
		}
		if (!what_if_kind(run, kind, name, sizeof(name)))
			strcpy(name, "?");
		fputs(n ? " " : "", out);
		places_put_text(out, name);
		fputs("=1000@", out);
		known = places_put(out, run, kind, &first);
		making->class[kind] = (uint8_t)++n;
	}
	xclose_memstream(out);
	return known ? 0
		     : err_set(err, ENOENT, "%s: %s: nothing says where its code is",
			       reader_facts(run->reader)->path, name);
}

/* ---- times ---- */

static void add_value(struct making *making, uint64_t ns)
{
	ARRAY_ADD(making->value, making->n_values, making->value_room, ns);
}

static void add_values(struct making *making, struct virtual_values *values, const uint64_t *ns,
		       uint64_t n)
{
	*values = (struct virtual_values){ (uint32_t)making->n_values, (uint32_t)n };
	for (uint64_t i = 0; i < n; i++)
		add_value(making, ns[i]);
}

static struct virtual_group *add_group(struct making *making)
{
	array_grow(&making->group, &making->group_room, making->n_groups + 1,
		   sizeof(*making->group));
	making->group[making->n_groups] = (struct virtual_group){ 0 };
	return &making->group[making->n_groups++];
}

static void put_fitted(struct making *making)
{
	for (uint32_t g = 0; g < making->fits.n; g++) {
		const struct fit_group *of = &making->fits.group[g];
		struct virtual_group *group;

		if (!making->class[of->kind])
			continue;
		group = add_group(making);
		group->class = making->class[of->kind];
		group->begin = of->begin;
		group->end = of->end;
		add_values(making, &group->bin, of->bin, FIT_BINS);
		add_values(making, &group->first, of->first_ns, of->n_first);
	}
}

/* Of one strand: its group's key; UINT64_MAX if it is in none, or in one that was fitted. */
static uint64_t key_of(const struct making *making, strand_id s)
{
	const struct step *step = &making->graph.step[s];
	enum fit_begin begin = step->flags & STEP_FIRST	      ? FIT_FIRST
			       : step->flags & STEP_CONTINUES ? FIT_CONTINUES
							      : FIT_JOINS;
	uint8_t class;

	if (step->flags & STEP_NODE || fits_group(&making->fits, s) != UINT32_MAX)
		return UINT64_MAX;
	class = making->class[dag_kind(&making->run->dag, s)];
	return class ? ((uint64_t) class * VIRTUAL_BEGINS + begin) * VIRTUAL_END_KINDS + step->end
		     : UINT64_MAX;
}

struct keyed {
	uint64_t key, ns;
	strand_id s;
};

ORDER(by_key, struct keyed, BY_LEAST(key) ?: BY_LEAST(s))

/* Those of small groups, in the order in which they ran. */
static void put_in_turn(struct making *making)
{
	const struct dag *dag = &making->run->dag;
	struct keyed *keyed = xmalloc((dag->n_strands + 1ull) * sizeof(*keyed));
	struct virtual_group *group = NULL;
	uint64_t n = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		uint64_t key = key_of(making, s);

		if (key != UINT64_MAX)
			keyed[n++] = (struct keyed){ key, dag_work(dag, s), s };
	}
	SORT(keyed, n, by_key);
	for (uint64_t i = 0; i < n; i++) {
		if (!i || keyed[i].key != keyed[i - 1].key) {
			group = add_group(making);
			group->class = (uint8_t)(keyed[i].key / VIRTUAL_END_KINDS / VIRTUAL_BEGINS);
			group->begin = keyed[i].key / VIRTUAL_END_KINDS % VIRTUAL_BEGINS;
			group->end = keyed[i].key % VIRTUAL_END_KINDS;
			group->in_turn = 1;
			group->bin.at = (uint32_t)making->n_values;
		}
		group->bin.n++;
		add_value(making, keyed[i].ns);
	}
	free(keyed);
}

/* So many draws, as quantiles with the mean of the class, times the factor. */
static void put_lead(struct making *making, enum lead of)
{
	uint64_t ns[LEADS_DRAWN], bin[FIT_BINS], x = FITS_SEED,
						 mean = lead_mean(&making->leads, of);
	double sum = 0, scale;

	if (!making->leads.of[of].n || making->costs <= 0)
		return;
	for (uint32_t i = 0; i < LEADS_DRAWN; i++) {
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		ns[i] = lead_draw(&making->leads, of, x ^ x << 32);
		sum += (double)ns[i];
	}
	SORT(ns, LEADS_DRAWN, order_numbers);
	fit_bins(bin, FAMILY_EMPIRICAL, NULL, ns, LEADS_DRAWN);
	scale = sum > 0 ? (double)mean * LEADS_DRAWN / sum * making->costs : 0;
	for (uint32_t i = 0; i < FIT_BINS; i++)
		bin[i] = (uint64_t)((double)bin[i] * scale + .5);
	add_values(making, &making->lead[of], bin, FIT_BINS);
}

static void build(struct making *making)
{
	static const struct changes none;
	const struct run *run = making->run;

	graph_build(&making->graph, &run->dag, &none);

	leads_build(&making->leads, &making->graph, machine_wait_ns(&run->machine, &run->dag));
	fits_build(&making->fits, &making->graph, FITS_SEED);
	put_fitted(making);
	put_in_turn(making);
	for (int of = 0; of < VIRTUAL_LEADS; of++)
		put_lead(making, (enum lead)of);
}

static void put_file(FILE *out, const struct making *making, uint64_t seed)
{
	const struct run *run = making->run;
	struct virtual_header header = { .magic = VIRTUAL_MAGIC,
					 .seed = seed,
					 .n_groups = (uint32_t)making->n_groups,
					 .n_values = (uint32_t)making->n_values,
					 .kinds_bytes = (uint32_t)making->kinds_bytes + 1 };
	uint64_t n_tasks = 0;
	char *said;
	int bytes;

	for (task_id t = 0; t < run->dag.n_tasks; t++)
		n_tasks += run->dag.kind_what[run->dag.task_kind[t]] >= KIND_TASK;
	memcpy(header.lead, making->lead, sizeof(header.lead));
	bytes = asprintf(&said,
			 "%s (%" PRIu64 " tasks), seed %" PRIu64 ", costs of the runtime x%g",
			 reader_facts(run->reader)->path, n_tasks, seed, making->costs);
	header.said_bytes = bytes < 0 ? 0 : (uint32_t)bytes + 1;
	fwrite(&header, sizeof(header), 1, out);
	fwrite(making->group, sizeof(*making->group), making->n_groups, out);
	fwrite(making->value, sizeof(*making->value), making->n_values, out);
	fwrite(making->kinds, 1, header.kinds_bytes, out);
	if (bytes >= 0) {
		fwrite(said, 1, header.said_bytes, out);
		free(said);
	}
}

/*
 * Writes the file.  0, or -errno and *err: bodies of tasks create tasks or wait, so that they have
 * to run; or the trace has not all that is needed.
 */
static int virtual_model_put(FILE *out, const struct run *run, uint64_t seed, double costs,
			     struct err *err)
{
	struct making making = { .run = run, .costs = costs };
	int error = check(run, err);

	making.class = xcalloc(run->dag.n_kinds + 1ull, 1);
	if (!error)
		error = put_kinds(&making, err);
	if (!error)
		build(&making);
	if (!error)
		put_file(out, &making, seed);
	fits_free(&making.fits);
	leads_free(&making.leads);
	graph_free(&making.graph);
	free(making.class);
	free(making.kinds);
	free(making.group);
	free(making.value);
	return error;
}

/* ---- options ---- */

bool virtual_costs_is(const char *text)
{
	char *end;
	double factor = strtod(text, &end);

	return *text >= '0' && *text <= '9' && !*end && factor <= COSTS_MOST;
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/* StarPU's policies dm, dmda, dmdas, .., and heft: by its models of tasks' times. */
static bool schedules_by_times(void)
{
	const char *policy = getenv("STARPU_SCHED");

	return policy && (strncmp(policy, "dm", 2) == 0 || strstr(policy, "heft"));
}

/* What does not go together; NULL. */
static const char *contradiction(const struct virtual_asked *asked)
{
	const char *collector = getenv(HELLO_VARIABLE);

	if (!asked->model && asked->workers)
		return "-P needs --virtual FILE";
	if (!asked->model && (asked->seed || asked->costs))
		return "--virtual-seed and --virtual-costs need --virtual FILE";
	if (!asked->model)
		return NULL;
	if (is_set(SLOW_VARIABLE))
		return "--virtual and --slow do not go together: no task runs that could be slowed";
	if (is_set(COUNTERS_VARIABLE))
		return "--virtual and --counters do not go together: no task runs that could count";
	if (collector && strcmp(collector, HELLO_INSIDE) == 0)
		return "--virtual and --inside do not go together";
	if (schedules_by_times())
		return "--virtual needs another STARPU_SCHED: this one decides by how long tasks "
		       "took";
	return NULL;
}

/*
 * Threads that have nothing to do sleep, where the runtime can; but not by OMP_WAIT_POLICY: if it
 * is passive, threads of a libomp newer than 14 sleep although there are tasks
 * [kmp_wait_release.h, __kmp_wait_template()].  StarPU has a switch for tasks that do nothing; it
 * must not learn from how long these take.
 */
static bool set_variables(const struct virtual_asked *asked)
{
	static const char *const fixed[][2] = {
		{ "GOMP_SPINCOUNT", "0" },   { "KMP_BLOCKTIME", "0" },
		{ "OMP_DYNAMIC", "false" },  { "STARPU_DISABLE_KERNELS", "1" },
		{ "STARPU_CALIBRATE", "0" }, { "STARPU_WORKERS_NOBIND", "1" },
	};
	static const char *const workers[] = { "OMP_NUM_THREADS", "STARPU_NCPU" };
	bool set = setenv(VIRTUAL_VARIABLE, asked->path, 1) == 0;

	unsetenv("OMP_WAIT_POLICY");
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]) && set; i++)
		set = setenv(fixed[i][0], fixed[i][1], 1) == 0;
	for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]) && set && asked->workers; i++)
		set = setenv(workers[i], asked->workers, 1) == 0;
	return set;
}

static int make_file(struct virtual_asked *asked, const struct run *run, struct err *err)
{
	uint64_t seed = asked->seed ? strtoull(asked->seed, NULL, 10) : 1;
	double costs = asked->costs ? strtod(asked->costs, NULL) : 1;
	FILE *out = NULL;
	int fd, error = 0;

	strcpy(asked->path, "/tmp/tptrace-virtual.XXXXXX");
	fd = mkstemp(asked->path);
	if (fd < 0)
		asked->path[0] = 0;
	else
		out = fdopen(fd, "w");
	if (out)
		error = virtual_model_put(out, run, seed, costs, err);
	if ((!out || ferror(out) || fclose(out) != 0) && !error)
		error = err_set(err, errno, "/tmp/tptrace-virtual.*: %s", strerror(errno));
	if (!error && !set_variables(asked))
		error = err_set(err, errno, "%s: %s", VIRTUAL_VARIABLE, strerror(errno));
	return error;
}

int virtual_set(struct virtual_asked *asked)
{
	const char *why = contradiction(asked);
	struct run run = { 0 };
	struct err err = { 0 };
	int error;

	if (why)
		return say_usage("record", "%s", why);
	if (!asked->model)
		return 0;
	error = run_open(&run, asked->model, NULL, &err) ?: make_file(asked, &run, &err);
	run_close(&run);
	if (error) {
		virtual_clear(asked);
		say_fail(&err);
	}
	return error ? 2 : 0;
}

void virtual_clear(const struct virtual_asked *asked)
{
	if (asked->path[0])
		unlink(asked->path);
}
