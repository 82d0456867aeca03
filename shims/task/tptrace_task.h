/* SPDX-License-Identifier: MIT */
/*
 * tptrace_task.h - marks by which a task runtime tells tptrace what it does.  For C and C++.
 *
 * This file is all that a runtime needs, and nothing is to be linked.  The first mark looks for the
 * recorder, which is there if the program runs under `tptrace record`.  If not, a mark costs a load
 * and a branch.  With -DTPTRACE_TASK_OFF marks are compiled to nothing.  tptrace-task(7) is a
 * tutorial.
 *
 *	static struct tptrace_runtime trace = { "my runtime", "1.0", 0 };
 *	struct tptrace_here here;			on the stack of the task that calls
 *
 *	tptrace_task_create(&trace, &task->trace, &here, code, TPTRACE_TASK_CALLER);
 *	..						push the task where others find it
 *	tptrace_task_resume(&here);
 *
 *	tptrace_task_begin(&task->trace, &here);	on the thread that runs the task
 *	..						call its code
 *	tptrace_task_end(&here);
 *
 *	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, 0, TPTRACE_TASK_CALLER);
 *	..						run other tasks, block, or switch stacks
 *	tptrace_task_resume(&here);
 *
 *	tptrace_task_release(&here, object);		let those go on that wait for the object
 *	..
 *	tptrace_task_resume(&here);
 *
 * create, wait and release leave the code of the running task; the clock is read first.  resume,
 * the last line before the code goes on, may be on another thread.  What runs between them is the
 * runtime's time.  A task may begin on any thread, also on top of another one, and may end on
 * another thread than it began on.  A thread that is in no task and creates or waits, as main(),
 * is taken for a task of its own from then on.
 *
 * All of it may be called from any thread, and from signal handlers once the first mark was made
 * outside of them; no mark fails, allocates memory of the program or changes errno.  A mark that
 * contradicts the ones before it (an end without a begin) is not recorded; the report says how many
 * such marks there were.
 */
#ifndef TPTRACE_TASK_H
#define TPTRACE_TASK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A task, in the runtime's descriptor of it.  Zero, or what tptrace_task_create() put there. */
typedef uint64_t tptrace_task_t;

typedef void (*tptrace_code_t)(void);

/* A runtime, by name and version: static, or not freed.  Several of the same name are one. */
struct tptrace_runtime {
	const char *name, *version;
	uint32_t number; /* tptrace's; 0 at first */
};

/* Where a task left its code.  It belongs to that task until it is resumed, or ends. */
struct tptrace_here {
	tptrace_task_t task, below;
	const void *left;
};

/* What a task waits for, and the object that says which. */
enum tptrace_wait {
	TPTRACE_WAIT_CHILDREN, /* all tasks that it has created; no object */
	TPTRACE_WAIT_GROUP,    /* all tasks of that group, see tptrace_task_group() */
	TPTRACE_WAIT_OBJECT,   /* a release of the object, also one of before: a future, a flag */
	TPTRACE_WAIT_LOCK,     /* a release from now on: a lock */
	TPTRACE_WAIT_BARRIER,  /* all others that wait at this barrier */
	TPTRACE_WAIT_YIELD,    /* nothing: it lets others run; no object */
	TPTRACE_WAIT_TASK,     /* tptrace_task_wait_for() */
	TPTRACE_WAIT_DEVICE    /* what a device runs or copies, or I/O; nothing releases it */
};

/* How a task uses an object. */
enum tptrace_access {
	TPTRACE_ACCESS_READ = 1,
	TPTRACE_ACCESS_WRITE,	 /* and may read it */
	TPTRACE_ACCESS_UNORDERED /* as a write, but in any order with others that do so */
};

/* A device, or a kind of I/O, that works for tasks: static, or not freed. */
struct tptrace_device {
	struct tptrace_runtime runtime; /* its name, "GPU 0" */
	uint64_t ticks_per_s;		/* of its clock; 0: CLOCK_MONOTONIC, in ns */
	int64_t zero_ns;		/* tptrace's; 0 at first */
};

/* The place that reports name: NULL is the mark itself; or that which called the function that the
 * mark is in; or any code address. */
#define TPTRACE_TASK_CALLER __builtin_return_address(0)

/* The recorder's functions; new ones are added at the end. */
struct tptrace_task_calls {
	void (*workers)(struct tptrace_runtime *, uint32_t);
	void (*create)(struct tptrace_runtime *, tptrace_task_t *, struct tptrace_here *,
		       tptrace_code_t, const void *);
	void (*group)(tptrace_task_t, const void *);
	void (*needs)(tptrace_task_t, uint64_t, int);
	void (*discard)(tptrace_task_t *);
	void (*begin)(tptrace_task_t *, struct tptrace_here *);
	void (*end)(struct tptrace_here *);
	void (*wait)(struct tptrace_runtime *, struct tptrace_here *, int, uint64_t, const void *);
	void (*release)(struct tptrace_here *, uint64_t);
	void (*resume)(struct tptrace_here *);
	void (*name)(const void **, const char *, const char *, uint32_t);
	void (*value)(const void **, const char *, int64_t);
	void (*release_by)(tptrace_task_t, uint64_t);
	void (*no_worker)(void);
	void (*access)(tptrace_task_t, uint64_t, int);
	void (*data)(tptrace_task_t, uint64_t, int, uint64_t, int);
	void (*clock)(struct tptrace_device *, uint64_t);
	void (*operation)(struct tptrace_device *, uint64_t, uint64_t, uint64_t, const void *);
};

#define TPTRACE_TASK_INLINE_ __inline__ __attribute__((__unused__, __always_inline__))

#if defined(__linux__) && defined(__GNUC__) && !defined(TPTRACE_TASK_OFF)

typedef const struct tptrace_task_calls *(*tptrace_task_find_)(uint32_t bytes);

/* dlsym(), if the program has it: by another name, so that <dlfcn.h> may be included or not. */
extern tptrace_task_find_ tptrace_task_look_up_(void *, const char *) __asm__("dlsym")
	__attribute__((__weak__));

/* One a module: NULL if there is no recorder, UNKNOWN before the first mark. */
extern const struct tptrace_task_calls *tptrace_task_calls_
	__attribute__((__weak__, __visibility__("hidden")));
#define TPTRACE_TASK_UNKNOWN_ ((const struct tptrace_task_calls *)1)
const struct tptrace_task_calls *tptrace_task_calls_ = TPTRACE_TASK_UNKNOWN_;

static __attribute__((__unused__, __noinline__)) const struct tptrace_task_calls *
tptrace_task_look_(void)
{
	tptrace_task_find_ (*volatile look_up)(void *, const char *) = tptrace_task_look_up_;
	tptrace_task_find_ find = look_up ? look_up((void *)0, "tptrace_task_find") : 0;
	const struct tptrace_task_calls *calls = find ? find(sizeof(*calls)) : 0;

	__atomic_store_n(&tptrace_task_calls_, calls, __ATOMIC_RELEASE);
	return calls;
}

/* The asm is so that the call returns here: no tail call. */
#define TPTRACE_TASK_MARK_(name, arguments)                                                        \
	const struct tptrace_task_calls *calls_ =                                                  \
		__atomic_load_n(&tptrace_task_calls_, __ATOMIC_ACQUIRE);                           \
	if (__builtin_expect(calls_ != 0, 0)) {                                                    \
		if (calls_ == TPTRACE_TASK_UNKNOWN_)                                               \
			calls_ = tptrace_task_look_();                                             \
		if (calls_)                                                                        \
			calls_->name arguments;                                                    \
		__asm__ volatile("");                                                              \
	}

#else

#define TPTRACE_TASK_MARK_(name, arguments)                                                        \
	if (0) {                                                                                   \
		const struct tptrace_task_calls *calls_ = 0;                                       \
		calls_->name arguments;                                                            \
	}

#endif

/* The runtime has so many workers now, busy or not; the largest number told counts. */
static TPTRACE_TASK_INLINE_ void tptrace_task_workers(struct tptrace_runtime *runtime, uint32_t n)
{
	TPTRACE_TASK_MARK_(workers, (runtime, n));
}

/* The running task creates one, which will run `code` (cast to it; 0 if there is none). */
static TPTRACE_TASK_INLINE_ void tptrace_task_create(struct tptrace_runtime *runtime,
						     tptrace_task_t *task,
						     struct tptrace_here *here, tptrace_code_t code,
						     const void *site)
{
	TPTRACE_TASK_MARK_(create, (runtime, task, here, code, site));
}

/* The task just created belongs to the group.  These four come between its creation and the
 * resume, before another thread can find it. */
static TPTRACE_TASK_INLINE_ void tptrace_task_group(tptrace_task_t task, const void *group)
{
	TPTRACE_TASK_MARK_(group, (task, group));
}

/* .. does not begin before another one has ended.  As often as needed, as the next. */
static TPTRACE_TASK_INLINE_ void tptrace_task_after(tptrace_task_t task, tptrace_task_t other)
{
	TPTRACE_TASK_MARK_(needs, (task, other, 1));
}

/* .. does not begin before the object is released for the last time.  The object may be the
 * task's own, such as its counter of dependences: whoever fulfils one releases it. */
static TPTRACE_TASK_INLINE_ void tptrace_task_needs(tptrace_task_t task, const void *object)
{
	TPTRACE_TASK_MARK_(needs, (task, (uint64_t)(uintptr_t)object, 0));
}

/* .. uses the object: after all tasks that the same task created before it and that use the object,
 * unless both read, or both are unordered.  tptrace finds them. */
static TPTRACE_TASK_INLINE_ void tptrace_task_access(tptrace_task_t task, const void *object,
						     enum tptrace_access access)
{
	TPTRACE_TASK_MARK_(access, (task, (uint64_t)(uintptr_t)object, (int)access));
}

/* .. uses so many bytes at the object, which are in that memory (a NUMA node or a device, by your
 * own numbers; -1: it is not known).  No dependence follows from this. */
static TPTRACE_TASK_INLINE_ void tptrace_task_data(tptrace_task_t task, const void *object,
						   enum tptrace_access access, uint64_t bytes,
						   int node)
{
	TPTRACE_TASK_MARK_(data, (task, (uint64_t)(uintptr_t)object, (int)access, bytes, node));
}

/*
 * Names and values: each gives a site that create and wait take in place of an address.  `site` is
 * what they would take without it, or such a site again.  Texts are copied the first time; the same
 * arguments give the same site, which stays valid, so that it may be kept.
 *
 *	site = tptrace_task_value(tptrace_task_name(TPTRACE_TASK_CALLER, "dgemm"), "n", 512);
 *
 * Reports call tasks created there `dgemm [n=512]`, a kind of their own: give values of which there
 * are few.  Without room for more (4,096 in all) a site is the one without the name or value.
 */
static TPTRACE_TASK_INLINE_ const void *tptrace_task_name(const void *site, const char *name)
{
	TPTRACE_TASK_MARK_(name, (&site, name, 0, 0));
	return site;
}

/* Likewise, with the file and line of the code: of a language that has no addresses. */
static TPTRACE_TASK_INLINE_ const void *tptrace_task_place(const void *site, const char *function,
							   const char *file, uint32_t line)
{
	TPTRACE_TASK_MARK_(name, (&site, function, file, line));
	return site;
}

static TPTRACE_TASK_INLINE_ const void *tptrace_task_value(const void *site, const char *key,
							   int64_t value)
{
	TPTRACE_TASK_MARK_(value, (&site, key, value));
	return site;
}

static TPTRACE_TASK_INLINE_ const void *tptrace_task_priority(const void *site, int64_t priority)
{
	return tptrace_task_value(site, "priority", priority);
}

/* The created task will never begin. */
static TPTRACE_TASK_INLINE_ void tptrace_task_discard(tptrace_task_t *task)
{
	TPTRACE_TASK_MARK_(discard, (task));
}

/* The task's code begins on this thread.  `here` is for its end. */
static TPTRACE_TASK_INLINE_ void tptrace_task_begin(tptrace_task_t *task, struct tptrace_here *here)
{
	TPTRACE_TASK_MARK_(begin, (task, here));
}

static TPTRACE_TASK_INLINE_ void tptrace_task_end(struct tptrace_here *here)
{
	TPTRACE_TASK_MARK_(end, (here));
}

static TPTRACE_TASK_INLINE_ void tptrace_task_wait(struct tptrace_runtime *runtime,
						   struct tptrace_here *here,
						   enum tptrace_wait what, const void *object,
						   const void *site)
{
	TPTRACE_TASK_MARK_(wait, (runtime, here, (int)what, (uint64_t)(uintptr_t)object, site));
}

/* The running task waits for the end of that one. */
static TPTRACE_TASK_INLINE_ void tptrace_task_wait_for(struct tptrace_runtime *runtime,
						       struct tptrace_here *here,
						       tptrace_task_t task, const void *site)
{
	TPTRACE_TASK_MARK_(wait, (runtime, here, (int)TPTRACE_WAIT_TASK, task, site));
}

/* The running task releases the object: who waits for it, or needs it, may go on. */
static TPTRACE_TASK_INLINE_ void tptrace_task_release(struct tptrace_here *here, const void *object)
{
	TPTRACE_TASK_MARK_(release, (here, (uint64_t)(uintptr_t)object));
}

/* That task, which has ended, releases the object: by any thread that counts its dependences for
 * it.  There is no `here`, and nothing to resume. */
static TPTRACE_TASK_INLINE_ void tptrace_task_release_by(tptrace_task_t task, const void *object)
{
	TPTRACE_TASK_MARK_(release_by, (task, (uint64_t)(uintptr_t)object));
}

/* This thread runs no tasks but on behalf of a worker that is free: it hands them out, and waits;
 * or it is one of more threads than workers, of which some sleep. */
static TPTRACE_TASK_INLINE_ void tptrace_task_no_worker(void)
{
	TPTRACE_TASK_MARK_(no_worker, ());
}

/* The device's clock shows `ticks` now.  Once before its operations, and now and then, as clocks
 * drift: its times are placed by the last such mark.  Not for a clock that is CLOCK_MONOTONIC. */
static TPTRACE_TASK_INLINE_ void tptrace_task_clock(struct tptrace_device *device, uint64_t ticks)
{
	TPTRACE_TASK_MARK_(clock, (device, ticks));
}

/*
 * The device worked from `begin` to `end`, on its clock, and moved so many bytes (or 0), for the
 * task that ran last on this thread.  Make the mark when both are known, in the task or while it
 * waits (TPTRACE_WAIT_DEVICE says that it does).  `site` is as for a creation:
 *
 *	tptrace_task_operation(&gpu, begin, end, bytes, tptrace_task_name(NULL, "dgemm"));
 */
static TPTRACE_TASK_INLINE_ void tptrace_task_operation(struct tptrace_device *device,
							uint64_t begin, uint64_t end,
							uint64_t bytes, const void *site)
{
	TPTRACE_TASK_MARK_(operation, (device, begin, end, bytes, site));
}

/* The task goes on here. */
static TPTRACE_TASK_INLINE_ void tptrace_task_resume(struct tptrace_here *here)
{
	TPTRACE_TASK_MARK_(resume, (here));
}

#ifdef __cplusplus
}
#endif
#endif
