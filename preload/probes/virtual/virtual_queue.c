/* SPDX-License-Identifier: MIT */
/* virtual_queue.c - the queue, a heap, and who may leave it. */
#include "preload/probes/virtual/virtual_queue.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/session/clock.h"
#include "preload/libc.h"
#include "preload/probes/virtual/looking.h"
#include "collector/session/futex.h"
#include "preload/probes/virtual/settled.h"

#define LOOK_AGAIN_NS 20000u
#define WAKE_NS UINT64_C(1000000000) /* a waker may have died: look */

static struct {
	_Atomic uint64_t now;
	_Atomic uint32_t lock;
	_Atomic uint32_t asked; /* by one thread at a time, whether all is settled */
	uint32_t n;
	uint64_t n_came;
	uint32_t left; /* the thread that did so last, if others may not have seen what it did */
	struct virtual_turn *turn[SETTLED_THREADS]; /* a heap */
} queue;

void virtual_queue_open(uint64_t begin)
{
	queue.n = 0;
	queue.n_came = 0;
	queue.left = 0;
	settled_forget();
	looking_forget();
	atomic_store(&queue.lock, 0);
	atomic_store(&queue.asked, 0);
	atomic_store(&queue.now, begin);
}

uint64_t virtual_queue_now(void)
{
	return atomic_load_explicit(&queue.now, memory_order_relaxed);
}

/* ---- the heap; with the lock ---- */

static bool before(const struct virtual_turn *a, const struct virtual_turn *b)
{
	return a->until != b->until ? a->until < b->until : a->came < b->came;
}

static void turn_place(uint32_t at, struct virtual_turn *turn)
{
	queue.turn[at] = turn;
	turn->at = at;
}

static void rise(struct virtual_turn *turn, uint32_t at)
{
	while (at && before(turn, queue.turn[(at - 1) / 2])) {
		turn_place(at, queue.turn[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	turn_place(at, turn);
}

static void sink(struct virtual_turn *turn, uint32_t at)
{
	for (uint32_t below = 2 * at + 1; below < queue.n; below = 2 * at + 1) {
		below += below + 1 < queue.n && before(queue.turn[below + 1], queue.turn[below]);
		if (before(turn, queue.turn[below]))
			break;
		turn_place(at, queue.turn[below]);
		at = below;
	}
	turn_place(at, turn);
}

static void take_first(void)
{
	struct virtual_turn *last = queue.turn[--queue.n];

	if (queue.n)
		sink(last, 0);
}

/* ---- waiting ---- */

static bool is_queued(uint32_t thread)
{
	bool found = false;

	libc_lock(&queue.lock);
	for (uint32_t i = 0; i < queue.n && !found; i++)
		found = queue.turn[i]->thread == thread;
	libc_unlock(&queue.lock);
	return found;
}

static bool waits(uint32_t thread)
{
	return is_queued(thread) || looking_rests(thread);
}

/* Whether it is the first of the n_came that came until this instant.  Who comes later may go
 * before it, and leave while it asks. */
static bool is_first(const struct virtual_turn *turn, uint64_t *n_came)
{
	bool first;

	libc_lock(&queue.lock);
	first = queue.turn[0] == turn;
	*n_came = queue.n_came;
	libc_unlock(&queue.lock);
	return first;
}

static void wake(struct virtual_turn *turn)
{
	atomic_fetch_add(&turn->moves, 1);
	futex_wake(&turn->moves);
}

/* Nobody came while it asked.  With the lock. */
static bool is_still_first(const struct virtual_turn *turn, uint64_t n_came)
{
	return queue.turn[0] == turn && queue.n_came == n_came;
}

/* If it is still the first.  Then time is its own. */
static bool turn_leave(struct virtual_turn *turn, uint64_t n_came)
{
	bool first;

	libc_lock(&queue.lock);
	first = is_still_first(turn, n_came);
	if (first) {
		atomic_store(&queue.now, turn->until);
		queue.left = turn->thread;
		take_first();
		if (queue.n)
			wake(queue.turn[0]);
	}
	libc_unlock(&queue.lock);
	return first;
}

/* One who came before the first is a new first, and asks while that one still does. */
static enum settled ask_settled(uint64_t since_ns)
{
	enum settled all;

	libc_lock(&queue.asked);
	all = settled(waits, since_ns);
	libc_unlock(&queue.asked);
	return all;
}

/*
 * Who left last and did not come back may have given others something to do before it went to
 * sleep.  True: those who look for it do so once more.
 */
static bool looks_again(const struct virtual_turn *turn, uint64_t n_came)
{
	uint32_t left = 0;

	libc_lock(&queue.lock);
	if (is_still_first(turn, n_came)) {
		left = queue.left;
		queue.left = 0;
	}
	libc_unlock(&queue.lock);
	if (!left || !looking_any() || is_queued(left))
		return false;
	looking_stir();
	return true;
}

static void rest(void)
{
	struct timespec ts = { 0, LOOK_AGAIN_NS };
	int saved = errno;

	syscall(SYS_nanosleep, &ts, NULL);
	errno = saved;
}

/* False if it does not fit. */
static bool come(struct virtual_turn *turn, uint64_t ns)
{
	bool room;

	libc_lock(&queue.lock);
	room = queue.n < SETTLED_THREADS;
	if (room) {
		turn->until = virtual_queue_now() + ns;
		turn->came = ++queue.n_came;
		rise(turn, queue.n++);
	}
	libc_unlock(&queue.lock);
	return room;
}

bool virtual_queue_pass(struct virtual_turn *turn, uint64_t ns)
{
	uint64_t since_ns = 0, last_came = 0, n_came;
	enum settled all;

	turn->thread = (uint32_t)syscall(SYS_gettid);
	if (!come(turn, ns))
		return false;
	for (;;) {
		uint32_t moves = atomic_load(&turn->moves);

		if (!is_first(turn, &n_came)) {
			futex_wait(&turn->moves, moves, WAKE_NS);
			since_ns = 0;
			continue;
		}
		if (!since_ns || n_came != last_came)
			since_ns = clock_monotonic_ns();
		last_came = n_came;
		all = ask_settled(since_ns);
		if (all == SETTLED_NO || (all == SETTLED && looks_again(turn, n_came)))
			rest();
		else if (turn_leave(turn, n_came))
			return all == SETTLED;
	}
}
