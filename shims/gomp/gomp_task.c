/* SPDX-License-Identifier: MIT */
/*
 * gomp_task.c - tasks: GOMP_task().
 *
 * Hot path: GOMP_task(), task_plain(), plain_lay(), wire_flags(), copy_bytes(); task_run();
 * GOMP_taskwait().
 *
 * libgomp is handed our function and our block of data, which is a head and, behind it, the
 * program's own; our function takes the time around the program's.  The plain case, a task
 * without copy constructor, event or wide alignment, has a head of 16 bytes; all else has a
 * long one (gomp_long.h).
 */
#include "shims/gomp/gomp_long.h"

#include "shims/common/copy.h"
#include "shims/common/drops.h"
#include "shims/common/hand.h"

#include "preload/poison.h"

/*
 * GCC 4.4 to 4.8 pass nothing behind the flags, GCC 5 to 10 no event: those words are variables of
 * the caller then, which other threads may write.  Compilers may write arguments back before they
 * jump, or copy them for a call; so a plain task has the first seven alone, at which libgomp looks,
 * and for all others no compiler sees them before hand.h has copied them.
 */
#if IN_ASSEMBLY
static __attribute__((used)) void GOMP_task(gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes,
					    long align, bool if_clause,
					    unsigned flags) __asm__("gomp_task_plain");
#else
GOMP_IN_TASK(CALL_WRAPPER)
#endif

struct head {
	gomp_fn fn;
	record_id id;
};

/*
 * A plain task is made in this memory of its creator's thread: libgomp copies what it defers before
 * it does anything else.  What it runs at once it runs on the block itself, and then all is read
 * from there before the program's code may create another; the data are the program's own, as they
 * are without us.
 */
struct plain {
	void *data;	  /* the program's, good until the creating call returns */
	const void *from; /* see gomp_task_hand(); just before the head */
	_Alignas(16) struct head head;
	char copy[GOMP_PLAIN_MAX];
};
_Static_assert(sizeof(struct plain) <= sizeof(((struct gomp_room *)0)->block), "has room");
_Static_assert(offsetof(struct plain, head) - offsetof(struct plain, from) == 8, "known to asm");

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
	struct stay stay = stay_begin(worker, head->id);

	fn(data);
	stay_end(&stay);
}

/* Hot path: runs a plain task, with 16 bytes of stack. */
static void task_run(void *block)
{
	struct head *head = block;
	struct worker *worker = worker_self();
	struct store store = worker ? worker_enter(worker, WORKER_OUTSIDE, 1) : NO_STORE;

	if (!store.slot) {
		task_run_else(head);
		return;
	}
	gomp_fn fn = head->fn;
	record_id below = worker->task;
	void *data = plain_data(worker, head);

	worker->task = head->id;
	worker_fill_now(store.slot, WIRE_BEGIN, head->id);
	worker_leave(worker, store, WORKER_INSIDE);
	fn(data);
	gomp_task_end(below);
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

static __attribute__((noinline)) void task_long(struct callsite *callsite, record_id id, gomp_fn fn,
						void *data, gomp_cpyfn cpyfn, long bytes,
						long align, bool if_clause, unsigned flags,
						void **depend, int priority, void *detach)
{
	struct parcel parcel = { .head = { .id = id, .detached = flags & GOMP_FLAG_DETACH } };

	parcel_pack(&parcel, fn, data, cpyfn, bytes, align);
	parcel.head.n_words = parcel.head.detached;
#define HAND(block, copy)                                                                          \
	gomp_of(callsite)->GOMP_task(                                                              \
		long_task_run, block, copy, (long)(parcel.head.offset + parcel.bytes),             \
		(long)parcel.align, if_clause, flags, depend, priority, detach)
	PARCEL_HAND(parcel, HAND);
#undef HAND
}

/* libomp: the callbacks take the time around the program's function. */
static __attribute__((noinline)) void task_wrapped(struct callsite *callsite, gomp_fn fn,
						   void *data, gomp_cpyfn cpyfn, long bytes,
						   long align, bool if_clause, unsigned flags,
						   void **depend, int priority, void *detach)
{
	struct worker *worker = gomp_worker(callsite);
	struct ompt_stay stay;

	if (worker) {
		ompt_take_note(worker, OMPT_NOTE_TASK, callsite->site);
		ompt_thread.task_site = callsite->site;
		stay = ompt_wrap(worker);
		ompt_thread.if0 = !if_clause;
	}
	gomp_of(callsite)->GOMP_task(fn, data, cpyfn, bytes, align, if_clause, flags, depend,
				     priority, detach);
	if (worker) {
		ompt_thread.if0 = false;
		ompt_unwrap(&stay);
	}
}

static void task_other(gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes, long align,
		       bool if_clause, unsigned flags, void **depend, int priority, void *detach)
{
	task_wrapped(CALLSITE_FROM(GOMP_FROM(), gomp, GOMP_task, fn), fn, data, cpyfn, bytes, align,
		     if_clause, flags, depend, priority, detach);
}

#define LOOKED_AT (GOMP_FLAG_DEPEND | GOMP_FLAG_PRIORITY | GOMP_FLAG_DETACH)
#define PLAIN_ALIGN 16

/* Whether libgomp looks at no other arguments, and copies the block before it runs any task. */
static inline __attribute__((unused)) bool is_plain(gomp_cpyfn cpyfn, long bytes, long align,
						    unsigned flags)
{
	return !cpyfn && !(flags & LOOKED_AT) && align <= PLAIN_ALIGN && bytes <= GOMP_PLAIN_MAX;
}

/* As programs of GCC 4.4 call it: what has come since is looked at only if a flag says so. */
typedef void gomp_task_fn(gomp_fn, void *, gomp_cpyfn, long, long, bool, unsigned);

/*
 * Hot path: hands a plain task over, as libgomp may run it here and now.  All else of a creation is
 * done by functions whose frames are gone.
 *
 * It takes no stack if the program's call returns to plain->from, where the arguments are dropped:
 * the return address waits above the flags then, where nobody looks for an argument.  Else it takes
 * 16 bytes; compilers take 32 for the one argument on the stack.
 */
#define TASK_DROPS 16 /* bytes: the flags, and the argument or padding above */

/* Whether the call with that number drops them: known since it was first seen. */
static _Atomic bool task_drops[CALLSITE_TABLE];

void gomp_task_hand(gomp_fn run, struct head *head, gomp_task_fn *real, long bytes, long align,
		    bool if_clause, unsigned flags) CALL_HIDDEN;
#if IN_ASSEMBLY
__asm__(".text\n"
	".p2align 4\n"
	".type gomp_task_hand, %function\n"
	"gomp_task_hand:\n"
	"	.cfi_startproc\n"
	"	mov %rdx, %rax\n"
	"	xor %edx, %edx\n"
	"	mov -8(%rsi), %r10\n" /* plain->from */
	"	cmp (%rsp), %r10\n"
	"	jne 1f\n"
	"	pop 8(%rsp)\n"
	"	.cfi_def_cfa_offset 0\n"
	"	.cfi_offset %rip, 8\n"
	"	call *%rax\n"
	"	push 8(%rsp)\n"
	"	.cfi_def_cfa_offset 8\n"
	"	.cfi_restore %rip\n"
	"	jmp gomp_go_on\n"
	"1:	push 8(%rsp)\n" /* flags */
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

/* After the event of its creation. */
static inline struct head *plain_lay(struct worker *worker, const void *from, gomp_fn fn,
				     const void *data, long bytes)
{
	struct plain *plain = plain_of(worker);

	plain->from = from;
	plain->data = (void *)(uintptr_t)data;
	plain->head.fn = fn;
	plain->head.id = record_next_id(worker);
	copy_bytes(plain->copy, data, (size_t)bytes);
	return &plain->head;
}

/* What libgomp is told of it. */
static inline long plain_bytes(long bytes)
{
	return (long)sizeof(struct head) + bytes;
}

static inline long plain_align(long align)
{
	return align > 8 ? align : 8;
}

static __attribute__((noinline)) void task_recorded(struct callsite *callsite,
						    struct worker *worker, gomp_fn fn, void *data,
						    gomp_cpyfn cpyfn, long bytes, long align,
						    bool if_clause, unsigned flags, void **depend,
						    int priority, void *detach)
{
	record_id id = record_create(worker, callsite->site, wire_flags(if_clause, flags));
	struct gomp_await_stay await = gomp_await_leave(callsite, worker, id);

	if (flags & GOMP_FLAG_DEPEND)
		gomp_depends(worker, depend);
	task_long(callsite, id, fn, data, cpyfn, bytes, align, if_clause, flags, depend, priority,
		  detach);
	gomp_await_return(&await);
}

/* Of much data, or where there is no memory to keep anything aside. */
static void task_on_stack(gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes, long align,
			  bool if_clause, unsigned flags, void **depend, int priority, void *detach)
{
	struct callsite *callsite = CALLSITE_FROM(GOMP_FROM(), gomp, GOMP_task, fn);

	task_recorded(callsite, worker_self(), fn, data, cpyfn, bytes, align, if_clause, flags,
		      depend, priority, detach);
}

/*
 * A task with a long head: that and the copy of its data lie aside.  libgomp looks at the pointer
 * of dependences, and at that of an event, only if there are some.
 */
static struct hand task_aside(struct callsite *callsite, struct worker *worker, struct aside *aside,
			      uintptr_t in[6], uintptr_t *on_stack, const void *from)
{
	const void *to = (const void *)(uintptr_t)gomp_of(callsite)->GOMP_task;
	unsigned flags = (unsigned)on_stack[0];
	struct parcel parcel = { .head = { .detached = flags & GOMP_FLAG_DETACH } };

	parcel_pack(&parcel, (gomp_fn)in[0], (void *)in[1], (gomp_cpyfn)in[2], (long)in[3],
		    (long)in[4]);
	parcel.head.n_words = parcel.head.detached;
	parcel.head.id = record_create(worker, callsite->site, wire_flags((bool)in[5], flags));
	aside->await = gomp_thread.await;
	gomp_thread.await = (struct gomp_await){ worker->task, parcel.head.id };
	if (flags & GOMP_FLAG_DEPEND)
		gomp_depends(worker, (void **)on_stack[1]); /* NOLINT: words */
	in[0] = (uintptr_t)long_task_run;
	in[1] = (uintptr_t)aside->block;
	in[2] = in[2] ? (uintptr_t)long_task_copy : 0;
	in[3] = parcel.head.offset + parcel.bytes;
	in[4] = parcel.align;
	if (in[2])
		*(struct long_head *)aside->block = parcel.head;
	else
		parcel_lay(&parcel, aside->block);
	if (!IN_ASSEMBLY || !drops_arguments(from, HAND_PLACE_4_BYTES))
		return (struct hand){ to, HAND_COPIED };
	return (struct hand){ to, !parcel.head.detached	     ? HAND_AT_4
				  : flags & GOMP_FLAG_DEPEND ? HAND_COPIED
							     : HAND_AT_2 };
}

/* A task that is not plain. */
HAND_DECLARE(task_else);
struct hand task_else_enter(uintptr_t in[6], uintptr_t *on_stack, void *from)
{
	struct callsite *callsite = CALLSITE_FROM(from, gomp, GOMP_task, in[0]);
	const void *to = (const void *)(uintptr_t)gomp_of(callsite)->GOMP_task;
	struct worker *worker;
	struct aside *aside = NULL;

	GOMP_SET_FROM(from);
	if (__builtin_expect(gomp_of(callsite)->head.other, 0))
		return (struct hand){ (const void *)(uintptr_t)task_other, HAND_NOT };
	worker = callsite_worker_inside(callsite);
	if (!worker)
		return (struct hand){ to, HAND_NOT };
	if (in[2] || ((long)in[4] <= PLAIN_ALIGN && (long)in[3] <= GOMP_PLAIN_MAX))
		aside = aside_open(worker, on_stack);
	if (aside)
		return task_aside(callsite, worker, aside, in, on_stack, from);
	return (struct hand){ (const void *)(uintptr_t)task_on_stack, HAND_NOT };
}

int task_else_leave(uintptr_t *on_stack, int returned)
{
	aside_close(on_stack, &gomp_thread.await);
	gomp_go_on();
	return returned;
}
HAND_4(task_else);

/* The first of its place, or where no event can be stored at once. */
static __attribute__((noinline)) void plain_else(gomp_fn fn, void *data, long bytes, long align,
						 bool if_clause, unsigned flags, void *from)
{
	struct callsite *callsite = CALLSITE_FROM(from, gomp, GOMP_task, fn);
	bool drops = IN_ASSEMBLY && drops_arguments(from, TASK_DROPS);
	gomp_task_fn *real = (gomp_task_fn *)(uintptr_t)gomp_of(callsite)->GOMP_task;
	size_t n = (size_t)(callsite - gomp_callsites.table);
	struct worker *worker;

	if (n < CALLSITE_TABLE)
		atomic_store_explicit(&task_drops[n], drops, memory_order_relaxed);
	if (__builtin_expect(gomp_of(callsite)->head.other, 0)) {
		task_wrapped(callsite, fn, data, NULL, bytes, align, if_clause, flags, NULL, 0,
			     NULL);
		return;
	}
	worker = callsite_worker_inside(callsite);
	if (!worker) {
		real(fn, data, NULL, bytes, align, if_clause, flags);
		return;
	}
	record_end_strand(worker, WIRE_CREATE,
			  site_make(callsite->site, wire_flags(if_clause, flags)));
	gomp_task_hand(task_run, plain_lay(worker, drops ? from : NULL, fn, data, bytes), real,
		       plain_bytes(bytes), plain_align(align), if_clause, flags);
}

/* Hot path: a plain task is created. */
static inline __attribute__((always_inline)) void task_plain(gomp_fn fn, void *data, long bytes,
							     long align, bool if_clause,
							     unsigned flags, void *from)
{
	const struct callsite *callsite = CALLSITE_AT_HAND(gomp, GOMP_task, fn);
	struct worker *worker = worker_self();
	struct store store = { 0 };
	bool drops;

	if (__builtin_expect(callsite && !(flags & GOMP_FLAG_FINAL), 1) && callsite->site &&
	    !callsite->instance->other && worker && worker->task)
		store = worker_enter(worker, WORKER_INSIDE, 1);
	if (!store.slot) {
		plain_else(fn, data, bytes, align, if_clause, flags, from);
		return;
	}
	worker_fill_now(store.slot, WIRE_CREATE,
			site_make(callsite->site, wire_flags(if_clause, flags)));
	worker_leave(worker, store, WORKER_OUTSIDE);
	drops = atomic_load_explicit(&task_drops[callsite - gomp_callsites.table],
				     memory_order_relaxed);
	gomp_task_hand(task_run, plain_lay(worker, drops ? from : NULL, fn, data, bytes),
		       (gomp_task_fn *)(uintptr_t)gomp_of(callsite)->GOMP_task, plain_bytes(bytes),
		       plain_align(align), if_clause, flags);
}

#if IN_ASSEMBLY
_Static_assert(LOOKED_AT == 0x2018 && PLAIN_ALIGN == 16 && GOMP_PLAIN_MAX == 512, "known to asm");
__asm__(".text\n"
	".p2align 4\n"
	".globl GOMP_task_on\n"
	".hidden GOMP_task_on\n"
	".type GOMP_task_on, %function\n"
	"GOMP_task_on:\n" /* is_plain() */
	"	.cfi_startproc\n"
	"	testl $0x2018, 8(%rsp)\n"
	"	jne task_else_on\n"
	"	test %rdx, %rdx\n"
	"	jne task_else_on\n"
	"	cmp $512, %rcx\n"
	"	jg task_else_on\n"
	"	cmp $16, %r8\n"
	"	jle gomp_task_plain\n"
	"	jmp task_else_on\n"
	"	.cfi_endproc\n"
	".size GOMP_task_on, .-GOMP_task_on\n");

void GOMP_task(gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes, long align, bool if_clause,
	       unsigned flags)
{
	(void)cpyfn;
	task_plain(fn, data, bytes, align, if_clause, flags, __builtin_return_address(0));
}
#else
void task_else(gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes, long align, bool if_clause,
	       unsigned flags, void **depend, int priority,
	       void *detach) __asm__(HAND_NAME("task_else")) CALL_HIDDEN;

void GOMP_task(gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes, long align, bool if_clause,
	       unsigned flags, void **depend, int priority, void *detach)
{
	if (is_plain(cpyfn, bytes, align, flags))
		task_plain(fn, data, bytes, align, if_clause, flags, __builtin_return_address(0));
	else
		task_else(fn, data, cpyfn, bytes, align, if_clause, flags, depend, priority,
			  detach);
}
#endif

static void set_body(gomp_fn run, void *block, gomp_fn body)
{
	if (run == task_run)
		((struct head *)block)->fn = body;
	else if (run == long_task_run && !((struct long_head *)block)->detached)
		((struct long_head *)block)->fn = body;
	else
		gomp_loop_set_body(run, block, body);
}

static __attribute__((constructor)) void tell_setter(void)
{
	gomp_tell_setter(set_body);
}
