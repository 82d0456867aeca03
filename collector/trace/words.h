/* SPDX-License-Identifier: MIT */
/*
 * words.h - what operands are made of, and the words for it in the text form.
 *
 * A line of a list has: number, name, word; of a wait, also whether it BLOCKS its worker.  Numbers
 * never change their meaning.
 */
#pragma once

/* Flags from here on are hints: a reader skips those that it does not know. */
#define WIRE_FLAG_HINT 65536u

/* clang-format off */
#define WIRE_TASK_FLAGS(F)                                                                         \
	F(1,  UNDEFERRED, "undeferred") /* the program asked for it: its parent waits for it */    \
	F(2,  FINAL,      "final")      /* so are all tasks below it */                            \
	F(4,  UNTIED,     "untied")     /* any worker may resume it */                             \
	F(8,  DETACHED,   "detached")   /* `handle` follows once it runs */                        \
	F(16, EMPTY,      "empty")      /* has no code: complete when its dependences are */       \
	F(32, GLOBAL,     "global")     /* depends on any task that says so, not on siblings */    \
	F(65536, TARGET,  "target")     /* a target construct's: a thread that runs no others is   \
					 * no worker */
#define WIRE_FORK_FLAGS(F)                                                                         \
	F(1,  TEAM,       "team")       /* members: the implicit tasks of a parallel region */     \
	F(2,  LOOP,       "loop")       /* members: the tasks of a taskloop */                     \
	F(4,  NOWAIT,     "nowait")     /* the forking task goes on without its members */         \
	F(8,  UNDEFERRED, "undeferred") /* as of a task, of each member */                         \
	F(16, FINAL,      "final")      /* as of a task, of each member */
#define WIRE_WAIT_FLAGS(F)                                                                         \
	F(256, GLOBAL,    "global")     /* of `depend`: as of a task */
/* BLOCKS: the worker runs nothing else meanwhile, and what it waits for is a lock or the like */
#define WIRE_WAIT_LIST(W)                                                                          \
	W(1, CHILDREN, "children", NOT) /* taskwait */                                             \
	W(2, GROUP,    "group",    NOT) /* end of taskgroup: children and theirs */                \
	W(3, TEAM,     "team",     NOT) /* barrier of the team, for its explicit tasks too */      \
	W(4, DEPEND,   "depend",   NOT) /* for the children that `depend` events pick out */       \
	W(5, OBJECT,   "object",   BLOCKS) /* until it is signalled, from now on: the runtime's    \
					    * lock, critical, ordered */                           \
	W(6, NAMED,    "named",    NOT) /* for the end of the task of that name, or, if it was     \
					 * signalled later, for its last signal, however long      \
					 * ago */                                                  \
	W(7, BAG,      "bag",      NOT) /* for all tasks of the bag, and its signals since the     \
					 * last wait for it; without any, its last */              \
	W(8, BARRIER,  "barrier",  NOT) /* for all others that wait for this object */             \
	W(9, MUTEX,    "mutex",    BLOCKS) /* as `object`: pthread_mutex_t, std::mutex */          \
	W(10, RWLOCK,  "rwlock",   BLOCKS) /* as `object`: pthread_rwlock_t */                     \
	W(11, COND,    "cond",     BLOCKS) /* as `object`: condition variable */                   \
	W(12, SEM,     "sem",      BLOCKS) /* as `object`: semaphore */                            \
	W(13, THREAD,  "thread",   BLOCKS) /* pthread_join(): for the thread's last signal, also   \
					    * one of before */                                     \
	W(14, THREADS, "threads",  BLOCKS) /* as `barrier`: pthread_barrier_t */                   \
	W(15, ADDRESS, "address",  BLOCKS) /* as `object`: oneTBB's wait for a word to change */   \
	W(16, FUTURE,  "future",   BLOCKS) /* as `object`: std::future */                          \
	W(17, WORD,    "word",     BLOCKS) /* as `named`; who goes on holds it, up to the next     \
					    * signal: a full/empty word that is taken */           \
	W(18, FUTEX,   "futex",    BLOCKS) /* as `object`: futex(2), std::atomic::wait() */        \
	W(19, MESSAGE, "message", BLOCKS)  /* in a call of MPI, for other ranks: `message` events  \
					    * say what for */                                      \
	W(20, DEVICE,  "device",   BLOCKS) /* for a device, as a GPU: its code, or a copy */
#define WIRE_DEPEND_LIST(D)                                                                        \
	D(1, IN,    "in")    /* reads */                                                           \
	D(2, OUT,   "out")   /* writes: out, inout */                                              \
	D(3, MUTEX, "mutex") /* mutexinoutset */                                                   \
	D(4, SET,   "set")   /* inoutset */                                                        \
	D(5, ALL,   "all")   /* omp_all_memory; no address */                                      \
	D(6, ON,    "on")    /* as `wait named`, of a task before it begins; all signals since */
#define WIRE_LOSS_LIST(L)                                                                          \
	L(0, RING,    "ring")    /* a ring was full, and the recorder was set not to wait */       \
	L(1, STOPPED, "stopped") /* recording was stopped: as asked, and no loss */                \
	L(2, SIZE,    "size")    /* the file had reached its size, or could not grow               \
				  * (`meta unwritten`) */                                          \
	L(3, OLD,     "old")     /* thrown away for newer ones */                                  \
	L(4, DIED,    "died")    /* in the memory of a collector that died */
/* clang-format on */

#define ENTRY(number, name, word) WIRE_TASK_##name = (number),
enum wire_task { WIRE_TASK_FLAGS(ENTRY) };
#undef ENTRY
#define ENTRY(number, name, word) WIRE_FORK_##name = (number),
enum wire_fork { WIRE_FORK_FLAGS(ENTRY) };
#undef ENTRY
#define ENTRY(number, name, ...) WIRE_WAIT_##name = (number),
enum wire_wait { WIRE_WAIT_LIST(ENTRY) WIRE_WAITS };
enum { WIRE_WAIT_FLAGS(ENTRY) };
#undef ENTRY
#define ENTRY(number, name, word) WIRE_DEPEND_##name = (number),
enum wire_depend { WIRE_DEPEND_LIST(ENTRY) WIRE_DEPENDS };
#undef ENTRY
#define ENTRY(number, name, word) WIRE_LOSS_##name = (number),
enum wire_loss { WIRE_LOSS_LIST(ENTRY) WIRE_LOSSES };
#undef ENTRY
