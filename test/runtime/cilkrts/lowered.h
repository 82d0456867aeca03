/* SPDX-License-Identifier: MIT */
/*
 * lowered.h - what GCC 5 to 7 make of _Cilk_spawn and _Cilk_sync, for compilers without them.
 *
 *	static long fib(long n)
 *	{
 *		long a, b;
 *
 *		CILK_ENTER;			before anything is spawned
 *		CILK_SPAWN(spawn_fib, &a, n - 1);	a = _Cilk_spawn fib(n - 1)
 *		b = fib(n - 2);
 *		CILK_SYNC;
 *		CILK_LEAVE;			at each way out, with a sync in it
 *		return a + b;
 *	}
 *	CILK_HELPER(spawn_fib, (long *a, long n), *a = fib(n))
 *
 * Calls, their order and what stands in the frame are those of the compiler [gcc/cilk-common.c,
 * gcc/c-family/cilk.c]; the layouts are ABI [libcilkrts/include/internal/abi.h].  A function
 * that spawns may go on with another stack pointer: everything in it has to be found through the
 * frame pointer, which CILK_ENTER sees to.
 *
 * With CILK_FRAMES_INLINE frames are entered inline, as by the compilers that are not GCC.
 */
#pragma once

#include <alloca.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cilk_worker;

struct cilk_pedigree {
	uint64_t rank;
	struct cilk_pedigree *parent;
};

struct cilk_frame {
	uint32_t flags;
	uint32_t size;
	struct cilk_frame *call_parent;
	struct cilk_worker *worker;
	void *except_data;
	void *ctx[5]; /* of __builtin_setjmp() */
	uint32_t mxcsr;
	uint16_t fpcsr;
	uint16_t reserved;
	struct cilk_pedigree pedigree;
};

struct cilk_worker {
	struct cilk_frame *volatile *volatile tail;
	struct cilk_frame *volatile *volatile head;
	struct cilk_frame *volatile *volatile exc;
	struct cilk_frame *volatile *volatile protected_tail;
	struct cilk_frame *volatile *ltq_limit;
	int32_t self;
	void *g, *l, *reducer_map;
	struct cilk_frame *current_stack_frame;
	void *saved_protected_tail, *sysdep;
	struct cilk_pedigree pedigree;
};

enum cilk_flag {
	CILK_FRAME_STOLEN = 0x01,
	CILK_FRAME_UNSYNCHED = 0x02,
	CILK_FRAME_DETACHED = 0x04,
	CILK_FRAME_EXCEPTING = 0x10,
	CILK_FRAME_LAST = 0x80,
	CILK_FRAME_VERSION = 1 << 24,
};

void __cilkrts_enter_frame_1(struct cilk_frame *frame);
void __cilkrts_enter_frame_fast_1(struct cilk_frame *frame);
void __cilkrts_leave_frame(struct cilk_frame *frame);
void __cilkrts_sync(struct cilk_frame *frame);
void __cilkrts_rethrow(struct cilk_frame *frame);
void __cilkrts_save_fp_ctrl_state(struct cilk_frame *frame);
int __cilkrts_synched(void);
int __cilkrts_get_nworkers(void);
int __cilkrts_get_worker_number(void);
int __cilkrts_set_param(const char *name, const char *value);
void __cilkrts_cilk_for_32(void (*body)(void *, uint32_t, uint32_t), void *data, uint32_t count,
			   int grain);
void __cilkrts_cilk_for_64(void (*body)(void *, uint64_t, uint64_t), void *data, uint64_t count,
			   int grain);

#ifdef __cplusplus
}
#endif

#define CILK_INLINE static inline __attribute__((always_inline, unused))

#ifdef CILK_FRAMES_INLINE
#ifdef __cplusplus
extern "C"
#endif
	struct cilk_worker *
	__cilkrts_get_tls_worker(void);
#ifdef __cplusplus
extern "C"
#endif
	struct cilk_worker *
	__cilkrts_bind_thread_1(void);

CILK_INLINE void cilk_enter_inline(struct cilk_frame *frame)
{
	struct cilk_worker *worker = __cilkrts_get_tls_worker();

	frame->flags = CILK_FRAME_VERSION | (worker ? 0 : CILK_FRAME_LAST);
	if (!worker)
		worker = __cilkrts_bind_thread_1();
	frame->except_data = (void *)0;
	frame->call_parent = worker->current_stack_frame;
	frame->worker = worker;
	frame->reserved = 0;
	worker->current_stack_frame = frame;
}

#define __cilkrts_enter_frame_1 cilk_enter_inline
#define __cilkrts_enter_frame_fast_1 cilk_enter_inline
#endif

/* Nobody knows that it is 0, so that the stack pointer can't be what locals are found by. */
static volatile uint32_t cilk_no_bytes __attribute__((unused));

#define CILK_ENTER                                                                                 \
	struct cilk_frame cilk_frame;                                                              \
	__asm__ volatile("" : : "r"(alloca(cilk_no_bytes)) : "memory");                            \
	__cilkrts_enter_frame_1(&cilk_frame)

#define CILK_SPAWN(helper, ...)                                                                    \
	do {                                                                                       \
		__cilkrts_save_fp_ctrl_state(&cilk_frame);                                         \
		if (__builtin_setjmp(cilk_frame.ctx) == 0)                                         \
			helper(__VA_ARGS__);                                                       \
	} while (0)

#define CILK_SYNC                                                                                  \
	do {                                                                                       \
		cilk_frame.pedigree = cilk_frame.worker->pedigree;                                 \
		if (cilk_frame.flags & CILK_FRAME_UNSYNCHED) {                                     \
			__cilkrts_save_fp_ctrl_state(&cilk_frame);                                 \
			if (__builtin_setjmp(cilk_frame.ctx) == 0)                                 \
				__cilkrts_sync(&cilk_frame);                                       \
			else if (cilk_frame.flags & CILK_FRAME_EXCEPTING)                          \
				__cilkrts_rethrow(&cilk_frame);                                    \
		}                                                                                  \
		cilk_frame.worker->pedigree.rank++;                                                \
	} while (0)

#define CILK_LEAVE                                                                                 \
	do {                                                                                       \
		CILK_SYNC;                                                                         \
		cilk_pop(&cilk_frame);                                                             \
		if (cilk_frame.flags != CILK_FRAME_VERSION)                                        \
			__cilkrts_leave_frame(&cilk_frame);                                        \
	} while (0)

/* The outlined call: its function runs as a task, and whoever steals goes on after CILK_SPAWN. */
#define CILK_HELPER(name, parameters, call)                                                        \
	static __attribute__((noinline)) void name parameters                                      \
	{                                                                                          \
		struct cilk_frame cilk_frame;                                                      \
                                                                                                   \
		__cilkrts_enter_frame_fast_1(&cilk_frame);                                         \
		cilk_detach(&cilk_frame);                                                          \
		call;                                                                              \
		cilk_pop(&cilk_frame);                                                             \
		__cilkrts_leave_frame(&cilk_frame);                                                \
	}

/* The same in C++: an exception is the runtime's business if the caller was stolen. */
#define CILK_HELPER_THROWS(name, parameters, call)                                                 \
	static __attribute__((noinline)) void name parameters                                      \
	{                                                                                          \
		struct cilk_frame cilk_frame;                                                      \
                                                                                                   \
		__cilkrts_enter_frame_fast_1(&cilk_frame);                                         \
		cilk_detach(&cilk_frame);                                                          \
		try {                                                                              \
			call;                                                                      \
		} catch (...) {                                                                    \
			cilk_frame.flags |= CILK_FRAME_EXCEPTING;                                  \
			cilk_frame.except_data = NULL;                                             \
			cilk_pop(&cilk_frame);                                                     \
			__cilkrts_leave_frame(&cilk_frame);                                        \
			throw;                                                                     \
		}                                                                                  \
		cilk_pop(&cilk_frame);                                                             \
		__cilkrts_leave_frame(&cilk_frame);                                                \
	}

CILK_INLINE void cilk_detach(struct cilk_frame *frame)
{
	struct cilk_frame *volatile *tail = frame->worker->tail;

	frame->pedigree = frame->worker->pedigree;
	frame->call_parent->pedigree = frame->worker->pedigree;
	frame->worker->pedigree.rank = 0;
	frame->worker->pedigree.parent = &frame->pedigree;
	*tail++ = frame->call_parent;
	__atomic_store_n(&frame->worker->tail, tail, __ATOMIC_RELEASE);
	frame->flags |= CILK_FRAME_DETACHED;
}

CILK_INLINE void cilk_pop(struct cilk_frame *frame)
{
	frame->worker->current_stack_frame = frame->call_parent;
	frame->call_parent = (struct cilk_frame *)0;
}
