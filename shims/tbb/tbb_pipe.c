/* SPDX-License-Identifier: MIT */
/* tbb_pipe.c - filters of pipelines, and tokens before them. */
#include "shims/tbb/tbb_pipe.h"

#include "preload/libc.h"

#include "preload/poison.h"

#define CALL 0	    /* a word of a filter's vtable */
#define SERIAL 1u   /* a bit of its mode */
#define NODE_LEFT 2 /* words of a filter_node */
#define NODE_RIGHT 3
#define ITEM 8 /* a word of a task: what its token carries */

/* No address of user space, and no other name of this shim, has these bits so. */
#define NAME_MARK (UINT64_C(1) << 58)
#define NAME_WORKER_AT 40

typedef void *(*filter_fn)(struct tbb_filter *filter, void *item);

static __thread struct pipe *pipe_here; /* whose filters are to be made on this thread */

_Static_assert(sizeof(struct pipe_name) <= sizeof(struct tbb_aside), "one pool has both");

/* ---- names ---- */

static void token_put(struct worker *worker, struct pipe_names *names, uintptr_t item,
		      uint64_t name)
{
	struct pipe_name *new =
		pool_take(&tbb_aside_pool, pool_place(worker, POOL_TBB), worker->index);

	if (!new)
		return;
	*new = (struct pipe_name){ NULL, item, name };
	libc_take(&names->lock);
	*names->end = new;
	names->end = &new->next;
	libc_give(&names->lock);
}

/* The oldest one of the item (`name` 0), or that name, which is there no more then; 0: none is. */
static uint64_t token_take(struct worker *worker, struct pipe_names *names, uintptr_t item,
			   uint64_t name)
{
	struct pipe_name **at = &names->first, *found;

	libc_take(&names->lock);
	while (*at && (name ? (*at)->name != name : (*at)->item != item))
		at = &(*at)->next;
	found = *at;
	if (found)
		*at = found->next;
	if (found && names->end == &found->next)
		names->end = at;
	libc_give(&names->lock);
	if (!found)
		return 0;
	name = found->name;
	pool_give(&tbb_aside_pool, pool_place(worker, POOL_TBB), worker->index, found);
	return name;
}

/* ---- filters ---- */

static struct pipe_filter *filter_of(const struct tbb_filter *filter)
{
	return (struct pipe_filter *)((char *)(uintptr_t)filter->vtable -
				      offsetof(struct pipe_filter, word));
}

static uint64_t task_name(record_id task)
{
	return NAME_MARK | (uint64_t)id_worker(task) << NAME_WORKER_AT |
	       (id_n(task) & ((UINT64_C(1) << NAME_WORKER_AT) - 1));
}

/* In the place of a filter's operator(); a token that it lets go on, or wakes, comes after. */
static void *pipe_call(struct tbb_filter *filter, void *item)
{
	struct pipe_filter *own = filter_of(filter);
	void *made = ((filter_fn)own->original[CALL])(filter, item);
	struct worker *worker = worker_self();
	struct pipe_filter *next = own->next;
	uint64_t name, ticks, limit;

	if (!worker || !worker->task || worker_state(worker) != WORKER_INSIDE)
		return made;
	if (next && !next->is_serial && !own->is_serial)
		return made;
	name = task_name(worker->task);
	ticks = record_ticks(worker);
	limit = worker_limit(worker);
	record_event_at(worker, ticks, WIRE_SIGNAL, name);
	record_strand_at(worker, ticks, limit, WIRE_RESUME, worker->task);
	own->last = name;
	if (!next)
		token_put(worker, &own->pipe->filter->names, 0, name);
	else if (next->is_serial)
		token_put(worker, &next->names, (uintptr_t)made, name);
	return made;
}

uintptr_t pipe_body(uintptr_t body)
{
	const struct tbb_filter filter = {
		.vtable = (const uintptr_t *)(body & ~(uintptr_t)BODY_BITS) /* NOLINT */
	};

	if (!(body & BODY_MARK) || filter.vtable[CALL] != (uintptr_t)pipe_call)
		return body;
	return (uintptr_t)filter_of(&filter)->original | (body & BODY_BITS);
}

/* ---- pipelines ---- */

uint32_t pipe_count(const void *filters)
{
	const void *const *word = filters;

	return word[NODE_LEFT] && word[NODE_RIGHT]
		       ? pipe_count(word[NODE_LEFT]) + pipe_count(word[NODE_RIGHT])
		       : 1;
}

void pipe_open(struct pipe *pipe, struct pipe_filter *filter, size_t tokens)
{
	pipe->tokens = tokens;
	pipe->filter = filter;
	for (uint32_t i = 0; i < pipe->n; i++)
		filter[i] = (struct pipe_filter){ .pipe = pipe };
	pipe_here = pipe;
}

void pipe_close(struct pipe *pipe)
{
	struct worker *worker = worker_self();

	if (pipe_here == pipe) /* nothing was recorded */
		pipe_here = NULL;
	for (uint32_t i = 0; i < pipe->n && worker; i++)
		while (pipe->filter[i].names.first)
			token_take(worker, &pipe->filter[i].names, 0,
				   pipe->filter[i].names.first->name);
}

static struct tbb_filter *task_filter(const struct tbb_task *task, body_path path)
{
	return ((struct tbb_filter *const *)task)[path & 0xff];
}

/* Whether they are as many as was counted, each of the task's pipeline. */
static bool filters_fit(const struct pipe *pipe, const struct tbb_task *task, body_path path)
{
	const struct tbb_filter *filter = task_filter(task, path);
	const void *pipeline = ((const void *const *)task)[(path & 0xff) - 1];
	uint32_t n = 0;

	for (; filter && filter->pipeline == pipeline && n <= pipe->n; filter = filter->next)
		n++;
	return !filter && n == pipe->n;
}

static void adopt(const struct tbb_task *task, body_path path)
{
	struct pipe *pipe = pipe_here;
	struct tbb_filter *filter = task_filter(task, path);

	if (!pipe || !filters_fit(pipe, task, path))
		return;
	pipe_here = NULL;
	for (uint32_t i = 0; i < pipe->n; i++, filter = filter->next) {
		struct pipe_filter *own = &pipe->filter[i];

		own->next = i + 1 < pipe->n ? own + 1 : NULL;
		own->original = filter->vtable;
		own->is_serial = filter->mode & SERIAL;
		own->names.end = &own->names.first;
		for (int n = TBB_VTABLE_TOP; n < 0; n++)
			own->before[2 + n] = own->original[n];
		for (int n = 0; n < 4; n++)
			own->word[n] = own->original[n];
		own->word[CALL] = (uintptr_t)pipe_call;
		filter->vtable = own->word;
	}
}

static void depend(struct worker *worker, uint64_t name)
{
	if (name)
		record_detail(worker, WIRE_DEPEND, depend_make(name, WIRE_DEPEND_ON));
}

/* There is at most one task that has not begun at the first filter. */
static uint64_t first_after(struct worker *worker, struct pipe *pipe)
{
	if (!pipe->tokens)
		return token_take(worker, &pipe->filter->names, 0, 0);
	pipe->tokens--;
	return 0;
}

void pipe_created(struct worker *worker, const struct tbb_task *task, body_path path,
		  enum pipe_creation creation)
{
	const struct tbb_filter *filter = task_filter(task, path);
	bool goes_on = creation == PIPE_GOES_ON;
	uint64_t own = task_name(worker->task), before = 0, last;
	struct pipe_filter *at;

	if (creation == PIPE_FIRST)
		adopt(task, path);
	if (!filter || filter->vtable[CALL] != (uintptr_t)pipe_call)
		return;
	at = filter_of(filter);
	last = at->is_serial && goes_on ? at->last : 0;
	if (at == at->pipe->filter)
		before = first_after(worker, at->pipe);
	else if (at->is_serial)
		before = token_take(worker, &at->names, ((const uintptr_t *)task)[ITEM],
				    goes_on ? own : 0);
	if (before != own)
		depend(worker, before);
	if (last != own && last != before)
		depend(worker, last);
}
