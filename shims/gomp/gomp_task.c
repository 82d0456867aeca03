/* SPDX-License-Identifier: MIT */
/*
 * gomp_task.c - tasks: GOMP_task and GOMP_taskloop.
 *
 * Hot path, a task: GOMP_task(), task_plain(), wire_flags(), copy_bytes(); task_run(); and
 * GOMP_taskwait(), which is WRAP_HOT_WAIT().  130 lines.
 *
 * libgomp is handed our function and our block of data, which is a head and, behind it, the
 * program's own; our function takes the time around the program's.  The plain case, a task
 * without copy constructor, event or wide alignment, has a head of 16 bytes; all else has a
 * long one, whose first words libgomp may read or write as it would the program's:
 *
 *	word 0		a detachable task's event		[GOMP_task, task.c]
 *	words 0, 1	bounds of a taskloop's task		[taskloop.c]
 *	word 2		a taskloop's reductions			[taskloop.c]
 */
#include "shims/gomp/gomp.h"

#include <stdalign.h>
#include <sys/mman.h>

#include "shims/common/copy.h"
#include "shims/common/hand.h"

#include "preload/poison.h"

enum gomp_flag { /* gomp-constants.h */
		 GOMP_FLAG_UNTIED = 1 << 0,
		 GOMP_FLAG_FINAL = 1 << 1,
		 GOMP_FLAG_DEPEND = 1 << 3,
		 GOMP_FLAG_PRIORITY = 1 << 4,
		 GOMP_FLAG_IF = 1 << 10,
		 GOMP_FLAG_NOGROUP = 1 << 11,
		 GOMP_FLAG_REDUCTION = 1 << 12,
		 GOMP_FLAG_DETACH = 1 << 13,
};

#define STACK_BLOCK_MAX 4096 /* a larger block of data does not go on the stack */

struct head {
	gomp_fn fn;
	record_id id;
};

struct long_head {
	uint64_t word[3];
	gomp_fn fn;
	gomp_cpyfn cpyfn;
	void *data; /* the program's, good until the creating call returns */
	record_id id;
	uint32_t offset;  /* of the program's data from here */
	uint16_t n_words; /* how many first words libgomp wrote for the program */
	bool loop;	  /* id is the group of a taskloop */
	bool detached;
};

/*
 * A plain task is made in this memory of its creator's thread: libgomp copies what it defers before
 * it does anything else.  What it runs at once it runs on the block itself, and then all is read
 * from there before the program's code may create another; the data are the program's own, as they
 * are without us.
 */
struct plain {
	void *data; /* the program's, good until the creating call returns */
	_Alignas(16) struct head head;
	char copy[GOMP_PLAIN_MAX];
};
_Static_assert(sizeof(struct plain) <= sizeof(((struct gomp_room *)0)->block), "has room");

static inline struct plain *plain_of(struct worker *worker)
{
	return (struct plain *)gomp_room((struct omp_room *)worker->shim)->block;
}

static inline void *plain_data(struct worker *worker, struct head *head)
{
	struct plain *plain = plain_of(worker);

	return __builtin_expect(head == &plain->head, 0) ? plain->data : head + 1;
}

static __attribute__((noinline)) void task_run_else(struct head *head)
{
	struct worker *self = worker_self(), *worker = record_worker();
	void *data = self ? plain_data(self, head) : head + 1;

	if (!worker) {
		head->fn(data);
		return;
	}
	gomp_fn fn = head->fn;
	struct frame frame = frame_begin(worker, head->id);

	fn(data);
	frame_end(&frame);
}

/* Hot path: the end of a task's code.  Not inlined: what runs a task is to keep `below` alone. */
static __attribute__((noinline)) void task_end(record_id below)
{
	record_end(worker_self(), below);
}

/* Hot path: runs a plain task, with 16 bytes of stack. */
static void task_run(void *block)
{
	struct head *head = block;
	struct worker *worker = worker_self();
	uint64_t at;

	if (__builtin_expect(!worker || !record_enter(worker, WORKER_OUTSIDE, &at, 1), 0)) {
		task_run_else(head);
		return;
	}
	gomp_fn fn = head->fn;
	record_id below = worker->task;
	void *data = plain_data(worker, head);

	worker->task = head->id;
	record_begin_strand_in(worker, at, WIRE_BEGIN, head->id);
	fn(data);
	task_end(below);
}

/* Whether libgomp forgets the event of the task that begins: see struct gomp_await. */
static bool is_forgotten(const struct frame *frame)
{
	const struct gomp_await *await = &gomp_frame.await;

	return frame->below && frame->below == await->task && frame->task != await->created;
}

static void long_task_run(void *block)
{
	struct long_head *head = block;
	uint64_t *data = (void *)((char *)block + head->offset);
	struct worker *worker = record_worker();

	for (int i = 0; i < head->n_words; i++)
		data[i] = head->word[i];
	if (!worker) {
		head->fn(data);
		return;
	}
	struct frame frame =
		head->loop ? frame_member(worker, head->id) : frame_begin(worker, head->id);

	if (head->detached && !is_forgotten(&frame))
		record_detail(worker, WIRE_HANDLE, head->word[0]);
	head->fn(data);
	frame_end(&frame);
}

/* The program's copy constructors, called by libgomp on the block that the task will get. */
static void long_task_copy(void *to, void *from)
{
	struct long_head *head = from;

	if (head->detached)
		*(uint64_t *)head->data = head->word[0];
	*(struct long_head *)to = *head;
	head->cpyfn((char *)to + head->offset, head->data);
}

static uint32_t wire_flags(bool if_clause, unsigned flags)
{
	if (__builtin_expect(flags & GOMP_FLAG_FINAL, 0))
		record_final();
	return (if_clause ? 0 : WIRE_TASK_UNDEFERRED) |
	       (flags & GOMP_FLAG_FINAL ? WIRE_TASK_FINAL : 0) |
	       (flags & GOMP_FLAG_UNTIED ? WIRE_TASK_UNTIED : 0) |
	       (flags & GOMP_FLAG_DETACH ? WIRE_TASK_DETACHED : 0);
}

/*
 * A block for data too large for the stack: a mapping, gone once libgomp has its copy.  NULL if
 * there is no memory.
 */
static char *large_block(size_t bytes)
{
	void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return block == MAP_FAILED ? NULL : block;
}

/* How a task of either sort is handed over; `bytes` and `align` are the program's. */
struct parcel {
	struct long_head head;
	size_t bytes, align;
};

static void parcel_pack(struct parcel *parcel, gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes,
			long align)
{
	size_t wide =
		align > (long)alignof(struct long_head) ? (size_t)align : alignof(struct long_head);

	parcel->head.fn = fn;
	parcel->head.cpyfn = cpyfn;
	parcel->head.data = data;
	parcel->head.offset = (uint32_t)((sizeof(struct long_head) + wide - 1) & ~(wide - 1));
	parcel->bytes = (size_t)bytes;
	parcel->align = wide;
}

/* Lays head and data out as one block, aligned, in `room` of parcel_room() bytes. */
static void *parcel_lay(const struct parcel *parcel, char *room)
{
	uintptr_t at = ((uintptr_t)room + parcel->align - 1) & ~(parcel->align - 1);

	*(struct long_head *)at = parcel->head;
	copy_bytes((char *)at + parcel->head.offset, parcel->head.data, parcel->bytes);
	return (void *)at;
}

static size_t parcel_room(const struct parcel *parcel)
{
	return parcel->head.offset + parcel->bytes + parcel->align;
}

/* Arguments for the runtime: `hand` gets the block, or the head, and our cpyfn. */
#define PARCEL_HAND(parcel, hand)                                                                  \
	do {                                                                                       \
		size_t room_bytes = parcel_room(&(parcel));                                        \
		if ((parcel).head.cpyfn) {                                                         \
			hand(&(parcel).head, long_task_copy);                                      \
		} else if (room_bytes <= STACK_BLOCK_MAX) {                                        \
			hand(parcel_lay(&(parcel), __builtin_alloca(room_bytes)), NULL);           \
		} else {                                                                           \
			char *room = large_block(room_bytes);                                      \
			if (!room)                                                                 \
				room = __builtin_alloca(room_bytes);                               \
			hand(parcel_lay(&(parcel), room), NULL);                                   \
			if (room_bytes > STACK_BLOCK_MAX)                                          \
				munmap(room, room_bytes);                                          \
		}                                                                                  \
	} while (0)

static __attribute__((noinline)) void task_long(struct call *call, record_id id, gomp_fn fn,
						void *data, gomp_cpyfn cpyfn, long bytes,
						long align, bool if_clause, unsigned flags,
						void **depend, int priority, void *detach)
{
	struct parcel parcel = { .head = { .id = id, .detached = flags & GOMP_FLAG_DETACH } };

	parcel_pack(&parcel, fn, data, cpyfn, bytes, align);
	parcel.head.n_words = parcel.head.detached;
#define HAND(block, copy)                                                                          \
	gomp_of(call)->GOMP_task(long_task_run, block, copy,                                       \
				 (long)(parcel.head.offset + parcel.bytes), (long)parcel.align,    \
				 if_clause, flags, depend, priority, detach)
	PARCEL_HAND(parcel, HAND);
#undef HAND
}

/* libomp: the callbacks take the time around the program's function. */
static __attribute__((noinline)) void task_other(struct call *call, gomp_fn fn, void *data,
						 gomp_cpyfn cpyfn, long bytes, long align,
						 bool if_clause, unsigned flags, void **depend,
						 int priority, void *detach)
{
	struct worker *worker = gomp_worker(call);
	struct ompt_frame frame;

	if (worker) {
		ompt_take_note(worker, OMPT_NOTE_TASK, call->site);
		ompt_thread.task_site = call->site;
		frame = ompt_wrap(worker);
		ompt_thread.if0 = !if_clause;
	}
	gomp_of(call)->GOMP_task(fn, data, cpyfn, bytes, align, if_clause, flags, depend, priority,
				 detach);
	if (worker) {
		ompt_thread.if0 = false;
		ompt_unwrap(&frame);
	}
}

/* Whether libgomp looks at no other arguments, and copies the block before it runs any task. */
static inline bool is_plain(gomp_cpyfn cpyfn, long bytes, long align, unsigned flags)
{
	return !cpyfn && !(flags & (GOMP_FLAG_DEPEND | GOMP_FLAG_PRIORITY | GOMP_FLAG_DETACH)) &&
	       align <= 16 && bytes <= GOMP_PLAIN_MAX;
}

/* As programs of GCC 4.4 call it: what has come since is looked at only if a flag says so. */
typedef void gomp_task_fn(gomp_fn, void *, gomp_cpyfn, long, long, bool, unsigned);

/*
 * Hot path: hands a plain task over, with 16 bytes of stack, as libgomp may run it here and now.
 * All else of a creation is done by functions whose frames are gone.  Compilers take 32 bytes for
 * the one argument that is on the stack.
 */
void gomp_task_hand(gomp_fn run, struct head *head, gomp_task_fn *real, long bytes, long align,
		    bool if_clause, unsigned flags) CALL_HIDDEN;
#if DOORS
__asm__(".text\n"
	".p2align 4\n"
	".type gomp_task_hand, %function\n"
	"gomp_task_hand:\n"
	"	.cfi_startproc\n"
	"	mov %rdx, %rax\n"
	"	xor %edx, %edx\n"
	"	push 8(%rsp)\n" /* flags */
	"	.cfi_adjust_cfa_offset 8\n"
	"	call *%rax\n"
	"	add $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	jmp gomp_go_on\n"
	"	.cfi_endproc\n"
	".size gomp_task_hand, .-gomp_task_hand\n");
#else
void gomp_task_hand(gomp_fn run, struct head *head, gomp_task_fn *real, long bytes, long align,
		    bool if_clause, unsigned flags)
{
	real(run, head, NULL, bytes, align, if_clause, flags);
	gomp_go_on();
}
#endif

/* Hot path: after the event of its creation. */
static inline void task_plain(const struct call *call, struct worker *worker, gomp_fn fn,
			      void *data, long bytes, long align, bool if_clause, unsigned flags)
{
	struct plain *plain = plain_of(worker);

	plain->data = data;
	plain->head.fn = fn;
	plain->head.id = record_next_id(worker);
	copy_bytes(plain->copy, data, (size_t)bytes);
	gomp_task_hand(task_run, &plain->head, (gomp_task_fn *)(uintptr_t)gomp_of(call)->GOMP_task,
		       (long)sizeof(plain->head) + bytes, align > 8 ? align : 8, if_clause, flags);
}

static __attribute__((noinline)) void task_recorded(struct call *call, struct worker *worker,
						    gomp_fn fn, void *data, gomp_cpyfn cpyfn,
						    long bytes, long align, bool if_clause,
						    unsigned flags, void **depend, int priority,
						    void *detach)
{
	record_id id = record_create(worker, call->site, wire_flags(if_clause, flags));
	struct gomp_await_frame await = gomp_await_leave(call, worker, id);

	if (flags & GOMP_FLAG_DEPEND)
		gomp_depends(worker, depend);
	task_long(call, id, fn, data, cpyfn, bytes, align, if_clause, flags, depend, priority,
		  detach);
	gomp_await_return(&await);
}

/* All but what nearly every creation is. */
static __attribute__((noinline)) void task_else(gomp_fn fn, void *data, gomp_cpyfn cpyfn,
						long bytes, long align, bool if_clause,
						unsigned flags, void **depend, int priority,
						void *detach)
{
	struct call *call = CALL(gomp, GOMP_task, fn);
	struct worker *worker;

	if (__builtin_expect(gomp_of(call)->head.other, 0)) {
		task_other(call, fn, data, cpyfn, bytes, align, if_clause, flags, depend, priority,
			   detach);
		return;
	}
	worker = call_worker_inside(call);
	if (!worker) {
		gomp_of(call)->GOMP_task(fn, data, cpyfn, bytes, align, if_clause, flags, depend,
					 priority, detach);
	} else if (is_plain(cpyfn, bytes, align, flags)) {
		record_end_strand(worker, WIRE_CREATE,
				  site_make(call->site, wire_flags(if_clause, flags)));
		task_plain(call, worker, fn, data, bytes, align, if_clause, flags);
	} else {
		task_recorded(call, worker, fn, data, cpyfn, bytes, align, if_clause, flags, depend,
			      priority, detach);
	}
}

/* Hot path: a task is created. */
DOOR_WRAPPER(gomp, void, GOMP_task, GOMP_task,
	     (gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes, long align, bool if_clause,
	      unsigned flags, void **depend, int priority, void *detach))
{
	WRAP_IF_OFF(gomp, GOMP_task,
		    (fn, data, cpyfn, bytes, align, if_clause, flags, depend, priority, detach));
	const struct call *call = CALL_AT_HAND(gomp, GOMP_task, fn);
	struct worker *worker = worker_self();
	uint64_t head;

	if (__builtin_expect(!call || flags & GOMP_FLAG_FINAL ||
				     !is_plain(cpyfn, bytes, align, flags) ||
				     !gomp_at_once(call, worker, &head),
			     0)) {
		task_else(fn, data, cpyfn, bytes, align, if_clause, flags, depend, priority,
			  detach);
		return;
	}
	record_end_strand_in(worker, head, WIRE_CREATE,
			     site_make(call->site, wire_flags(if_clause, flags)));
	task_plain(call, worker, fn, data, bytes, align, if_clause, flags);
}

/* ---- taskloops ---- */

static record_id loop_fork(struct worker *worker, uint32_t site, unsigned flags)
{
	if (flags & GOMP_FLAG_FINAL)
		record_final();
	return record_fork(worker, site,
			   WIRE_FORK_LOOP | (flags & GOMP_FLAG_NOGROUP ? WIRE_FORK_NOWAIT : 0) |
				   (flags & GOMP_FLAG_IF ? 0 : WIRE_FORK_UNDEFERRED) |
				   (flags & GOMP_FLAG_FINAL ? WIRE_FORK_FINAL : 0));
}

/* Of data that libgomp cannot just copy; and on libomp. */
#define TASKLOOP_LONG(name, bound)                                                                 \
	static void name##_long(gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes, long align,  \
				unsigned flags, unsigned long n_tasks, int priority, bound start,  \
				bound end, bound step)                                             \
	{                                                                                          \
		struct call *call = CALL(gomp, name, fn);                                          \
		struct worker *worker = gomp_worker(call);                                         \
		struct parcel parcel = { 0 };                                                      \
		struct ompt_loop loop;                                                             \
                                                                                                   \
		if (!worker) {                                                                     \
			gomp_of(call)->name(fn, data, cpyfn, bytes, align, flags, n_tasks,         \
					    priority, start, end, step);                           \
			return;                                                                    \
		}                                                                                  \
		parcel_pack(&parcel, fn, data, cpyfn, bytes, align);                               \
		parcel.head.id = loop_fork(worker, call->site, flags);                             \
		if (gomp_of(call)->head.other) {                                                   \
			ompt_loop_open(&loop, worker, parcel.head.id);                             \
			gomp_of(call)->name(fn, data, cpyfn, bytes, align, flags, n_tasks,         \
					    priority, start, end, step);                           \
			ompt_loop_close(&loop);                                                    \
			return;                                                                    \
		}                                                                                  \
		parcel.head.loop = true;                                                           \
		parcel.head.n_words = 2;                                                           \
		if (flags & GOMP_FLAG_REDUCTION)                                                   \
			parcel.head.word[2] = ((uint64_t *)data)[2];                               \
		PARCEL_HAND(parcel, name##_HAND);                                                  \
		gomp_go_on();                                                                      \
	}

#define LOOP_HAND(name, block, copy)                                                               \
	gomp_of(call)->name(long_task_run, block, copy, (long)(parcel.head.offset + parcel.bytes), \
			    (long)parcel.align, flags, n_tasks, priority, start, end, step)
#define GOMP_taskloop_HAND(block, copy) LOOP_HAND(GOMP_taskloop, block, copy)
#define GOMP_taskloop_ull_HAND(block, copy) LOOP_HAND(GOMP_taskloop_ull, block, copy)

/*
 * A plain taskloop is made in the thread's memory, too.  If libgomp runs its tasks at once it does
 * so on that block, one after the other: what is inside may make taskloops of its own there, so
 * that each task leaves it as it found it, but for the bounds.  All that has to be the loop's own
 * is in the arguments' place.
 */
struct loop_kept {
	gomp_fn fn;
	void *data; /* the program's */
	record_id group;
	record_id below; /* what its task runs on top of */
};
_Static_assert(sizeof(struct loop_kept) <= 5 * sizeof(uintptr_t), "lies in the arguments' place");

struct loop_head {
	uint64_t word[3]; /* as of struct long_head */
	gomp_fn fn;
	record_id group;
	uint64_t pad; /* the data behind are aligned to 16 bytes, if the block is */
};

struct loop {
	struct loop_kept *kept;
	_Alignas(16) struct loop_head head;
	char copy[GOMP_PLAIN_MAX];
};
_Static_assert(sizeof(struct loop) <= sizeof(((struct gomp_room *)0)->loop), "has room");

static inline struct loop *loop_of(struct worker *worker)
{
	return (struct loop *)gomp_room((struct omp_room *)worker->shim)->loop;
}

/* A task of the loop is over that the loop's call ran: the next one finds the block. */
static __attribute__((noinline)) void loop_end_at_once(struct loop_kept *kept)
{
	struct worker *worker = worker_self();

	if (!worker)
		return;
	record_end(worker, kept->below);
	loop_of(worker)->kept = kept;
}

static __attribute__((noinline)) void loop_run_at_once(struct worker *worker,
						       const struct loop *loop)
{
	struct loop_kept *kept = loop->kept;
	uint64_t *data = kept->data;

	data[0] = loop->head.word[0];
	data[1] = loop->head.word[1];
	kept->below = worker->task;
	record_member(worker, kept->group);
	kept->fn(kept->data); /* read again: a register that is kept is stack */
	loop_end_at_once(kept);
}

static void loop_run(void *block)
{
	struct worker *self = worker_self(), *worker = record_worker();
	struct loop_head *head = block;
	uint64_t *data = (uint64_t *)(head + 1);

	if (self && head == &loop_of(self)->head) {
		loop_run_at_once(self, loop_of(self));
		return;
	}
	data[0] = head->word[0];
	data[1] = head->word[1];
	if (!worker) {
		head->fn(data);
		return;
	}
	record_id below = worker->task;

	record_member(worker, head->group);
	head->fn(data);
	task_end(below);
}

static inline struct hand loop_enter(struct call *call, const void *to, const void *otherwise,
				     uintptr_t in[6], struct loop_kept *kept)
{
	struct worker *worker = gomp_worker(call);
	long bytes = (long)in[3], align = (long)in[4];
	unsigned flags = (unsigned)in[5];
	struct loop *loop;

	if (!worker)
		return (struct hand){ to, false };
	if (gomp_of(call)->head.other || in[2] || bytes > GOMP_PLAIN_MAX || align > 16)
		return (struct hand){ otherwise, false };
	loop = loop_of(worker);
	*kept = (struct loop_kept){ (gomp_fn)in[0], (void *)in[1], /* NOLINT: words */
				    loop_fork(worker, call->site, flags), 0 };
	loop->kept = kept;
	loop->head.word[2] = flags & GOMP_FLAG_REDUCTION ? ((uint64_t *)kept->data)[2] : 0;
	loop->head.fn = kept->fn;
	loop->head.group = kept->group;
	copy_bytes(loop->copy, kept->data, (size_t)bytes);
	in[0] = (uintptr_t)loop_run;
	in[1] = (uintptr_t)&loop->head;
	in[3] = sizeof(loop->head) + (size_t)bytes;
	in[4] = (uintptr_t)(align > 8 ? align : 8);
	return (struct hand){ to, true };
}

#define TASKLOOP(name, bound)                                                                      \
	TASKLOOP_LONG(name, bound)                                                                 \
	HAND_DECLARE(name, void);                                                                  \
	struct hand name##_enter(uintptr_t in[6], uintptr_t *on_stack, void *from)                 \
	{                                                                                          \
		struct call *call = CALL_FROM(from, gomp, name, in[0]);                            \
                                                                                                   \
		return loop_enter(call, (const void *)(uintptr_t)gomp_of(call)->name,              \
				  (const void *)(uintptr_t)name##_long, in,                        \
				  (struct loop_kept *)on_stack);                                   \
	}                                                                                          \
	void name##_leave(void *kept)                                                              \
	{                                                                                          \
		(void)kept;                                                                        \
		gomp_go_on();                                                                      \
	}                                                                                          \
	HAND_5(name)

/* (fn, data, cpyfn, bytes, align, flags; n_tasks, priority, start, end, step) */
TASKLOOP(GOMP_taskloop, long);
TASKLOOP(GOMP_taskloop_ull, unsigned long long);

static void set_body(gomp_fn run, void *block, gomp_fn body)
{
	struct worker *worker = worker_self();

	if (run == task_run)
		((struct head *)block)->fn = body;
	else if (run == long_task_run && !((struct long_head *)block)->detached)
		((struct long_head *)block)->fn = body;
	else if (run == loop_run && worker)
		((struct loop_head *)block)->fn = loop_of(worker)->kept->fn = body;
}

static __attribute__((constructor)) void tell_setter(void)
{
	gomp_tell_setter(set_body);
}
