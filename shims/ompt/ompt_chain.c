/* SPDX-License-Identifier: MIT */
/*
 * ompt_chain.c - another OMPT tool in the process: it is given what it would get without us.
 *
 * libomp calls one tool, and each of its tasks, teams and threads has one word for it.  With two,
 * the word points to two words, ours and the other's, made when it is first seen and gone with
 * the last event of what it belongs to.  None of this is there when we are alone.
 */
#include "shims/ompt/ompt_callbacks.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef union ompt_data data;

struct pair {
	data ours, theirs;
};

static ompt_callback their[OMPT_EVENTS];
static ompt_lookup real_lookup;
static ompt_set_fn real_set;
static struct ompt_start *chained;
static struct segment shim;	  /* our own code's file */
static __thread struct pair lost; /* where there is no memory for a pair: each event is the first */

static struct pair *pair_of(data *word)
{
	void *none = NULL;
	void *made;

	if (__atomic_load_n(&word->pointer, __ATOMIC_ACQUIRE))
		return word->pointer;
	made = calloc(1, sizeof(struct pair));
	if (made && !__atomic_compare_exchange_n(&word->pointer, &none, made, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		free(made);
	if (__atomic_load_n(&word->pointer, __ATOMIC_ACQUIRE))
		return word->pointer;
	lost = (struct pair){ 0 };
	return &lost;
}

static data *ours(data *word)
{
	return word ? &pair_of(word)->ours : NULL;
}

static data *theirs(data *word)
{
	return word ? &pair_of(word)->theirs : NULL;
}

static void forget(data *word)
{
	if (!word)
		return;
	free(word->pointer);
	word->pointer = NULL;
}

/* libomp may take a wrapper for its caller. */
static const void *caller(const void *return_address)
{
	return segment_has(&shim, (uintptr_t)return_address) ? ompt_thread.caller : return_address;
}

/* Calls the other tool's callback, if it has set one. */
#define THEIRS(event, parameters, ...)                                                             \
	do {                                                                                       \
		void(*callsite) parameters = (void(*) parameters)their[event];                     \
		if (callsite)                                                                      \
			callsite(__VA_ARGS__);                                                     \
	} while (0)

/* ---- callbacks ---- */

static void thread_begin(int type, data *thread)
{
	THEIRS(OMPT_THREAD_BEGIN, (int, data *), type, theirs(thread));
}

static void thread_end(data *thread)
{
	THEIRS(OMPT_THREAD_END, (data *), theirs(thread));
	forget(thread);
}

static void parallel_begin(data *encountering, const void *frame, data *parallel,
			   unsigned requested, int flags, const void *ra)
{
	struct ompt_region *region;

	ompt_parallel_begin(ours(encountering), frame, ours(parallel), requested, flags, ra);
	THEIRS(OMPT_PARALLEL_BEGIN, (data *, const void *, data *, unsigned, int, const void *),
	       theirs(encountering), frame, theirs(parallel), requested, flags, caller(ra));
	region = ompt_innermost();
	if (region)
		region->word = parallel->pointer;
}

/* The word at `parallel` may be another region's by now: see region_push(). */
static void parallel_end(data *parallel, data *encountering, int flags, const void *ra)
{
	struct ompt_region *region = ompt_innermost();
	data own = { .pointer = region ? region->word : NULL };

	THEIRS(OMPT_PARALLEL_END, (data *, data *, int, const void *), theirs(&own),
	       theirs(encountering), flags, caller(ra));
	ompt_parallel_end(ours(&own), ours(encountering), flags, ra);
	forget(&own);
}

static void implicit_task(int endpoint, data *parallel, data *task, unsigned n, unsigned index,
			  int flags)
{
	ompt_implicit_task(endpoint, ours(parallel), ours(task), n, index, flags);
	THEIRS(OMPT_IMPLICIT_TASK, (int, data *, data *, unsigned, unsigned, int), endpoint,
	       theirs(parallel), theirs(task), n, index, flags);
	if (endpoint == OMPT_SCOPE_END)
		forget(task);
}

static void task_create(data *encountering, const void *frame, data *task, int flags,
			int has_dependences, const void *ra)
{
	if (ompt_thread.probe) { /* ours */
		ompt_task_create(encountering, frame, task, flags, has_dependences, ra);
		return;
	}
	ompt_task_create(ours(encountering), frame, ours(task), flags, has_dependences, ra);
	THEIRS(OMPT_TASK_CREATE, (data *, const void *, data *, int, int, const void *),
	       theirs(encountering), frame, theirs(task), flags, has_dependences, caller(ra));
}

static bool is_last(int status, const data *next)
{
	return status == OMPT_TASK_COMPLETE || (status == OMPT_TASK_CANCEL && next) ||
	       status == OMPT_TASK_LATE_FULFILL || status == OMPT_TASKWAIT_COMPLETE;
}

static void task_schedule(data *prior, int status, data *next)
{
	if (ompt_thread.probe)
		return;
	ompt_thread.original = next;
	ompt_task_schedule(ours(prior), status, ours(next));
	ompt_thread.original = NULL;
	THEIRS(OMPT_TASK_SCHEDULE, (data *, int, data *), theirs(prior), status, theirs(next));
	if (is_last(status, next) && prior != next)
		forget(prior);
}

static void dependences(data *task, const struct ompt_depend *depend, int n)
{
	ompt_dependences(ours(task), depend, n);
	THEIRS(OMPT_DEPENDENCES, (data *, const struct ompt_depend *, int), theirs(task), depend,
	       n);
}

static void task_dependence(data *source, data *sink)
{
	THEIRS(OMPT_TASK_DEPENDENCE, (data *, data *), theirs(source), theirs(sink));
}

static void cancel(data *task, int flags, const void *ra)
{
	ompt_cancel(ours(task), flags, ra);
	THEIRS(OMPT_CANCEL, (data *, int, const void *), theirs(task), flags, caller(ra));
}

static void sync_region(int kind, int endpoint, data *parallel, data *task, const void *ra)
{
	ompt_sync_region(kind, endpoint, ours(parallel), ours(task), ra);
	THEIRS(OMPT_SYNC_REGION, (int, int, data *, data *, const void *), kind, endpoint,
	       theirs(parallel), theirs(task), caller(ra));
}

static void sync_region_wait(int kind, int endpoint, data *parallel, data *task, const void *ra)
{
	if (ompt_state.bare)
		ompt_sync_region_wait(kind, endpoint, ours(parallel), ours(task), ra);
	THEIRS(OMPT_SYNC_REGION_WAIT, (int, int, data *, data *, const void *), kind, endpoint,
	       theirs(parallel), theirs(task), caller(ra));
}

static void reduction(int kind, int endpoint, data *parallel, data *task, const void *ra)
{
	THEIRS(OMPT_REDUCTION, (int, int, data *, data *, const void *), kind, endpoint,
	       theirs(parallel), theirs(task), caller(ra));
}

static void work(int kind, int endpoint, data *parallel, data *task, uint64_t count, const void *ra)
{
	if (ompt_state.bare)
		ompt_work(kind, endpoint, ours(parallel), ours(task), count, ra);
	THEIRS(OMPT_WORK, (int, int, data *, data *, uint64_t, const void *), kind, endpoint,
	       theirs(parallel), theirs(task), count, caller(ra));
}

static void dispatch(data *parallel, data *task, int kind, data instance)
{
	THEIRS(OMPT_DISPATCH, (data *, data *, int, data), theirs(parallel), theirs(task), kind,
	       instance);
}

static void masked(int endpoint, data *parallel, data *task, const void *ra)
{
	THEIRS(OMPT_MASKED, (int, data *, data *, const void *), endpoint, theirs(parallel),
	       theirs(task), caller(ra));
}

static void flush_(data *thread, const void *ra)
{
	THEIRS(OMPT_FLUSH, (data *, const void *), theirs(thread), caller(ra));
}

static void mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t object,
			  const void *ra)
{
	if (ompt_state.bare)
		ompt_mutex_acquire(kind, hint, implementation, object, ra);
	THEIRS(OMPT_MUTEX_ACQUIRE, (int, unsigned, unsigned, uint64_t, const void *), kind, hint,
	       implementation, object, caller(ra));
}

static void mutex_acquired(int kind, uint64_t object, const void *ra)
{
	if (ompt_state.bare)
		ompt_mutex_acquired(kind, object, ra);
	THEIRS(OMPT_MUTEX_ACQUIRED, (int, uint64_t, const void *), kind, object, caller(ra));
}

static void mutex_released(int kind, uint64_t object, const void *ra)
{
	if (ompt_state.bare)
		ompt_mutex_released(kind, object, ra);
	THEIRS(OMPT_MUTEX_RELEASED, (int, uint64_t, const void *), kind, object, caller(ra));
}

static void nest_lock(int endpoint, uint64_t object, const void *ra)
{
	if (ompt_state.bare)
		ompt_nest_lock(endpoint, object, ra);
	THEIRS(OMPT_NEST_LOCK, (int, uint64_t, const void *), endpoint, object, caller(ra));
}

/* Those that are not here are given nothing of a task, team or thread. */
static const ompt_callback both[OMPT_EVENTS] = {
	[OMPT_THREAD_BEGIN] = (ompt_callback)thread_begin,
	[OMPT_THREAD_END] = (ompt_callback)thread_end,
	[OMPT_PARALLEL_BEGIN] = (ompt_callback)parallel_begin,
	[OMPT_PARALLEL_END] = (ompt_callback)parallel_end,
	[OMPT_IMPLICIT_TASK] = (ompt_callback)implicit_task,
	[OMPT_TASK_CREATE] = (ompt_callback)task_create,
	[OMPT_TASK_SCHEDULE] = (ompt_callback)task_schedule,
	[OMPT_DEPENDENCES] = (ompt_callback)dependences,
	[OMPT_TASK_DEPENDENCE] = (ompt_callback)task_dependence,
	[OMPT_CANCEL] = (ompt_callback)cancel,
	[OMPT_SYNC_REGION] = (ompt_callback)sync_region,
	[OMPT_SYNC_REGION_WAIT] = (ompt_callback)sync_region_wait,
	[OMPT_REDUCTION] = (ompt_callback)reduction,
	[OMPT_WORK] = (ompt_callback)work,
	[OMPT_DISPATCH] = (ompt_callback)dispatch,
	[OMPT_MASKED] = (ompt_callback)masked,
	[OMPT_FLUSH] = (ompt_callback)flush_,
	[OMPT_MUTEX_ACQUIRE] = (ompt_callback)mutex_acquire,
	[OMPT_MUTEX_ACQUIRED] = (ompt_callback)mutex_acquired,
	[OMPT_MUTEX_RELEASED] = (ompt_callback)mutex_released,
	[OMPT_NEST_LOCK] = (ompt_callback)nest_lock,
};

/* ---- what the other tool asks libomp for ---- */

static int chain_set(int event, ompt_callback callback)
{
	if (event <= 0 || event >= OMPT_EVENTS || event == OMPT_TARGET ||
	    (event >= OMPT_TARGET_EMI && event <= OMPT_TARGET_SUBMIT_EMI))
		return OMPT_SET_NEVER; /* a host's libomp never calls them */
	their[event] = callback;
	if (!both[event])
		return real_set(event, callback);
	if (!callback && !ompt_callback_of(event))
		return real_set(event, NULL);
	return real_set(event, both[event]);
}

static int chain_get(int event, ompt_callback *callback)
{
	if (event <= 0 || event >= OMPT_EVENTS || !their[event])
		return 0;
	*callback = their[event];
	return 1;
}

typedef int (*task_info_fn)(int, int *, data **, void **, data **, int *);
typedef int (*parallel_info_fn)(int, data **, int *);
typedef data *(*thread_data_fn)(void);

static int task_info(int level, int *flags, data **task, void **frame, data **parallel, int *thread)
{
	task_info_fn real = (task_info_fn)real_lookup("ompt_get_task_info");
	int result = real(level, flags, task, frame, parallel, thread);

	if (result && task)
		*task = theirs(*task);
	if (result && parallel)
		*parallel = theirs(*parallel);
	return result;
}

static int parallel_info(int level, data **parallel, int *size)
{
	parallel_info_fn real = (parallel_info_fn)real_lookup("ompt_get_parallel_info");
	int result = real(level, parallel, size);

	if (result && parallel)
		*parallel = theirs(*parallel);
	return result;
}

static data *thread_data(void)
{
	return theirs(((thread_data_fn)real_lookup("ompt_get_thread_data"))());
}

static ompt_callback chain_lookup(const char *name)
{
	static const struct {
		const char *name;
		ompt_callback function;
	} own[] = {
		{ "ompt_set_callback", (ompt_callback)chain_set },
		{ "ompt_get_callback", (ompt_callback)chain_get },
		{ "ompt_get_task_info", (ompt_callback)task_info },
		{ "ompt_get_parallel_info", (ompt_callback)parallel_info },
		{ "ompt_get_thread_data", (ompt_callback)thread_data },
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcmp(name, own[i].name) == 0)
			return own[i].function;
	return real_lookup(name);
}

/* ---- start and end ---- */

static struct ompt_start *find_in(const char *path, ompt_start_fn own, unsigned version,
				  const char *runtime)
{
	void *library = dlopen(path, RTLD_LAZY);
	ompt_start_fn start = library ? (ompt_start_fn)dlsym(library, "ompt_start_tool") : NULL;
	struct ompt_start *found = NULL;

	if (start && start != own)
		found = start(version, runtime);
	if (library && !found)
		dlclose(library);
	return found;
}

/* In the order in which libomp looks for tools.  [OpenMP 5.2, 19.2.2; ompt-general.cpp] */
struct ompt_start *ompt_chain_find(ompt_start_fn next, ompt_start_fn own, unsigned version,
				   const char *runtime)
{
	struct ompt_start *found = next ? next(version, runtime) : NULL;
	const char *list = getenv("OMP_TOOL_LIBRARIES");
	char *paths = list ? strdup(list) : NULL;
	char *rest = paths, *path;

	while (!found && rest && (path = strsep(&rest, ":")))
		if (*path)
			found = find_in(path, own, version, runtime);
	free(paths);
	return found ? found : find_in("libarcher.so", own, version, runtime);
}

bool ompt_chain_open(struct ompt_start *other, ompt_lookup lookup, int device)
{
	real_lookup = lookup;
	real_set = (ompt_set_fn)lookup("ompt_set_callback");
	shim = file_of((uintptr_t)ompt_chain_open);
	ompt_state.chained = true;
	if (!other->initialize(chain_lookup, device, &other->tool)) {
		for (int event = 1; event < OMPT_EVENTS; event++)
			if (their[event])
				real_set(event, NULL);
		memset(their, 0, sizeof(their));
		ompt_state.chained = false;
		return false;
	}
	for (int event = 1; event < OMPT_EVENTS; event++)
		if (ompt_callback_of(event))
			real_set(event, both[event]);
	chained = other;
	return true;
}

void ompt_chain_close(void)
{
	if (chained && chained->finalize)
		chained->finalize(&chained->tool);
	chained = NULL;
	memset(their, 0, sizeof(their)); /* libomp's words are all new when it goes on with us */
	ompt_state.chained = false;
}
