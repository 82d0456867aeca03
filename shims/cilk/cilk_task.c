/* SPDX-License-Identifier: MIT */
/*
 * cilk_task.c - spawns and syncs.
 *
 * Hot path, a task: __cilkrts_enter_frame_fast(), spawn(); __cilkrts_leave_frame(); and
 * __cilkrts_sync().  80 lines.
 *
 * A helper is a task, and belongs to the bag of its caller's frame: the function's next sync
 * waits for that bag.  Two things are done so that what the compiler made inline can be seen:
 *
 *	A frame's jump buffer leads to cilk_resumed, which knows the instant at which a thief, or
 *	the last child at a sync, goes on in the function, and then jumps to where the program
 *	wanted.
 *
 *	A frame that has spawned gets CILK_UNSYNCHED, so that the function calls __cilkrts_sync
 *	at each sync, stolen or not.  The flag is for the function alone; the runtime sets it when
 *	the frame is stolen, whatever it was, and looks at it in none that isn't.  While it is
 *	ours the real sync isn't called: there is nothing to wait for.
 */
#include "shims/cilk/cilk.h"

#include "preload/poison.h"

CILK_IN_TASK(CALL_WRAPPER)

/* In frame->size. */
enum cilk_mark {
	MARK_HELPER = 0x7c3a1e51, /* its task was begun */
	MARK_OURS,		  /* its CILK_UNSYNCHED is ours */
	MARK_STOLEN,		  /* its CILK_UNSYNCHED is the runtime's */
};

/*
 * Where the runtime's __builtin_longjmp() ends: the frame pointer is the function's, and so is
 * the stack pointer, on whatever stack.  All other registers are free: the code that goes on
 * finds everything through the frame pointer.
 */
void cilk_resumed(void) CALL_HIDDEN;
void *cilk_resume(void) CALL_HIDDEN;

#ifdef __x86_64__
__asm__(".text\n"
	".hidden cilk_resumed\n"
	".type cilk_resumed, @function\n"
	"cilk_resumed:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	endbr64\n"
	"	movq %rsp, %rbx\n"
	"	andq $-64, %rsp\n"
	"	call cilk_resume\n"
	"	movq %rbx, %rsp\n"
	"	jmp *%rax\n"
	"	.cfi_endproc\n"
	".size cilk_resumed, .-cilk_resumed\n");
#else
void cilk_resumed(void)
{
}
#endif

/* Lets the jump to this frame's function go by way of us. */
static inline void frame_watch(struct cilk_frame *frame, record_id task)
{
	frame->task = task;
	frame->real_pc = frame->pc;
	frame->pc = (void *)cilk_resumed;
}

/* A function goes on that was stolen, or that waited in a sync.  Where. */
void *cilk_resume(void)
{
	struct cilk *cilk = atomic_load_explicit(&cilk_traced, memory_order_relaxed);
	struct cilk_frame *frame = cilk->__cilkrts_get_tls_worker()->current;
	struct worker *worker = record_worker();

	frame->size = frame->flags & CILK_UNSYNCHED ? MARK_STOLEN : 0;
	if (worker)
		stay_resume_from(worker, NULL, frame->task); /* stolen, mostly */
	return frame->real_pc;
}

/* A function that will spawn. */
#define ENTER(result, name, parameters)                                                            \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(cilk, name, NULL);                            \
                                                                                                   \
		cilk_of(callsite)->name(frame);                                                    \
		frame->size = 0;                                                                   \
		if (__builtin_expect(frame->flags & CILK_LAST, 0) && callsite->site)               \
			entered_first(cilk_of(callsite));                                          \
	}

static __attribute__((noinline)) void entered_first(struct cilk *cilk)
{
	struct worker *worker = record_worker();

	cilk_tell_workers(cilk);
	if (worker && !worker->task)
		record_root(worker);
}

/*
 * Hot path: a helper was called; it has its frame from the real function.  The parent's strand
 * ends and the child's begins: one reading of the clock does for both.
 */
static inline void spawn(struct worker *worker, uint32_t site, struct cilk_frame *frame)
{
	struct cilk_frame *parent = frame->call_parent;

	if (__builtin_expect(!worker->task, 0))
		record_root(worker);
	uint64_t ticks = record_ticks(worker), limit = worker_limit(worker);
	record_id task = worker->task;

	record_event_at(worker, ticks, WIRE_CREATE, site);
	worker->task = record_next_id(worker);
	record_detail(worker, WIRE_BAG, (uintptr_t)parent);
	frame->size = MARK_HELPER;
	frame->task = task;
	frame_watch(parent, task);
	if (!(parent->flags & CILK_UNSYNCHED)) {
		parent->flags |= CILK_UNSYNCHED;
		parent->size = MARK_OURS;
	}
	record_strand_at(worker, ticks, limit, WIRE_BEGIN, worker->task);
}

#define ENTER_FAST(result, name, parameters)                                                       \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(cilk, name, NULL);                            \
		struct worker *worker = callsite_worker(callsite);                                 \
                                                                                                   \
		cilk_of(callsite)->name(frame);                                                    \
		frame->size = 0;                                                                   \
		if (worker && frame->call_parent)                                                  \
			spawn(worker, callsite->site, frame);                                      \
	}

CILK_ENTERS(CALL_MADE)

/* The end of a helper, or of a function that was stolen or is the thread's outermost. */
void __cilkrts_leave_frame(struct cilk_frame *frame)
{
	struct callsite *callsite = CALLSITE(cilk, __cilkrts_leave_frame, NULL);
	struct worker *worker = worker_self();

	if (frame->size != MARK_HELPER || !worker) {
		cilk_of(callsite)->__cilkrts_leave_frame(frame);
		return;
	}
	record_id parent = frame->task;

	frame->size = 0;
	record_end(worker, 0);
	cilk_of(callsite)->__cilkrts_leave_frame(frame); /* returns if the parent is still here */
	record_resume(worker_self(), parent);
}

void __cilkrts_sync(struct cilk_frame *frame)
{
	struct callsite *callsite = CALLSITE(cilk, __cilkrts_sync, NULL);
	struct worker *worker = worker_self();
	uint32_t mark = frame->size;
	record_id self;

	if ((mark != MARK_OURS && mark != MARK_STOLEN) || cilk_of(callsite)->head.foreign ||
	    (mark == MARK_STOLEN && !worker)) {
		cilk_of(callsite)->__cilkrts_sync(frame);
		return;
	}
	if (__builtin_expect(!worker, 0)) { /* in a child of fork() that is not recorded */
		frame->size = 0;
		frame->flags &= ~(uint32_t)CILK_UNSYNCHED;
		return;
	}
	uint64_t ticks = record_ticks(worker), limit = worker_limit(worker);

	self = worker->task;
	record_event_at(worker, ticks, WIRE_WAIT, site_make(callsite->site, WIRE_WAIT_BAG));
	record_detail(worker, WIRE_OBJECT, (uintptr_t)frame);
	frame->size = 0;
	if (mark == MARK_OURS) {
		frame->flags &= ~(uint32_t)CILK_UNSYNCHED;
		record_strand_at(worker, ticks, limit, WIRE_RESUME, self);
		return;
	}
	worker->task = 0;
	frame_watch(frame, self);
	cilk_of(callsite)->__cilkrts_sync(frame); /* does not return */
}

/* Whether the running function has children that may still run. */
int __cilkrts_synched(void)
{
	struct callsite *callsite = CALLSITE(cilk, __cilkrts_synched, NULL);
	struct cilk *cilk = cilk_of(callsite);

	if (!cilk->head.foreign) {
		struct cilk_worker *self = cilk->__cilkrts_get_tls_worker();

		if (self && self->current && self->current->size == MARK_OURS)
			return 1; /* as if it had no flag */
	}
	return cilk->__cilkrts_synched();
}
