/* SPDX-License-Identifier: MIT */
/* looking.c - counts the looks of each thread since the last stir. */
#include "preload/probes/virtual/looking.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/libc.h"
#include "collector/session/clock.h"
#include "collector/session/futex.h"
#include "preload/probes/virtual/settled.h"

#define LOOK_NS 10000000u /* whatever it is that a runtime tells by a word that it sets: look */
#define LOOKS 2u
/* One of n threads has a task, and all looks miss it: exp(-8) at most. */
#define LOOKS_A_THREAD 8u

struct looker {
	_Atomic uint32_t thread; /* its id; 0: nobody's */
	_Atomic uint32_t rests;	 /* the stir that it rests since; 0: it does not */
	uint32_t stir;		 /* its own: n looks since that one */
	uint32_t n;
};

/* One that spins. */
struct spinner {
	uint32_t thread;
	uint32_t stir;	 /* the last one before somebody asked */
	uint64_t cpu_ns; /* its CPU time when somebody did */
};

static struct {
	_Atomic uint32_t stir; /* how often, + 1; never 0 */
	_Atomic uint32_t n;
	_Atomic uint32_t lock;
	struct looker looker[SETTLED_THREADS];
	/* of the thread that asks whether all is settled: one at a time */
	struct spinner spinner[SETTLED_THREADS];
	uint32_t n_spinners;
} looking;

static __thread struct looker *mine __attribute__((tls_model("initial-exec")));

void looking_forget(void)
{
	for (uint32_t i = 0; i < atomic_load(&looking.n); i++)
		looking.looker[i] = (struct looker){ 0 };
	atomic_store(&looking.n, 0);
	looking.n_spinners = 0;
	atomic_store(&looking.lock, 0);
	atomic_store(&looking.stir, 1);
}

bool looking_any(void)
{
	return atomic_load(&looking.n) > 0 || looking.n_spinners > 0;
}

void looking_stir(void)
{
	if (atomic_fetch_add(&looking.stir, 1) == UINT32_MAX)
		atomic_store(&looking.stir, 1);
	if (atomic_load(&looking.n))
		futex_wake(&looking.stir);
}

static const struct looker *looker_of(uint32_t thread)
{
	uint32_t n = atomic_load(&looking.n);

	for (uint32_t i = 0; i < n; i++)
		if (atomic_load(&looking.looker[i].thread) == thread)
			return &looking.looker[i];
	return NULL;
}

bool looking_rests(uint32_t thread)
{
	const struct looker *looker = looker_of(thread);

	return looker && atomic_load(&looker->rests) == atomic_load(&looking.stir);
}

bool looking_spins(uint32_t thread)
{
	uint32_t stir = atomic_load(&looking.stir), i = 0;
	uint64_t cpu_ns = 0;
	struct spinner *spinner;

	clock_cpu_ns(thread, &cpu_ns);
	while (i < looking.n_spinners && looking.spinner[i].thread != thread)
		i++;
	if (i == SETTLED_THREADS)
		return false;
	spinner = &looking.spinner[i];
	if (i < looking.n_spinners && spinner->stir == stir)
		return cpu_ns - spinner->cpu_ns >=
		       (looker_of(thread) ? LOOKING_TELLER_NS : LOOKING_SPIN_NS);
	if (i == looking.n_spinners)
		looking.n_spinners++;
	*spinner = (struct spinner){ thread, stir, cpu_ns };
	return false;
}

/* The calling thread's, which may have the id of one that is gone; NULL if there are too many. */
static struct looker *looker_mine(void)
{
	uint32_t self = (uint32_t)syscall(SYS_gettid), i = 0;

	if (mine && atomic_load(&mine->thread) == self)
		return mine;
	libc_lock(&looking.lock);
	while (i < atomic_load(&looking.n) && atomic_load(&looking.looker[i].thread) != self)
		i++;
	mine = i < SETTLED_THREADS ? &looking.looker[i] : NULL;
	if (mine) {
		atomic_store(&mine->thread, self);
		if (i == atomic_load(&looking.n))
			atomic_store(&looking.n, i + 1);
	}
	libc_unlock(&looking.lock);
	return mine;
}

void looking_found_nothing(bool random)
{
	struct looker *looker = looker_mine();
	uint32_t stir = atomic_load(&looking.stir), enough = LOOKS;

	if (random)
		enough = LOOKS_A_THREAD * (atomic_load(&looking.n) + 1);
	if (looker && looker->stir != stir) { /* this look may have begun before */
		looker->stir = stir;
		looker->n = 0;
	} else if (looker && ++looker->n >= enough) {
		atomic_store(&looker->rests, stir);
		futex_wait(&looking.stir, stir, LOOK_NS);
		atomic_store(&looker->rests, 0);
		looker->n = 0;
	} /* else at once: on a busy machine, each yield would take as long as all others run */
}
