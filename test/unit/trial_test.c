/* SPDX-License-Identifier: MIT */
/* trial_test.c - what a trial tells of the costs of calls, and that it leaves nothing. */
#include "test/unit/workers.h"

#define TRIED 5u /* a runtime's number */

static struct {
	uint64_t n_recorded, n_bare; /* rounds */
	uint64_t spin_ns;	     /* that a recorded round takes longer */
	const struct worker *own;
	bool in_task, blocked; /* in all rounds */
	uint32_t index;
} trial_saw;

static void make_nothing(bool recorded)
{
	struct worker *worker = worker_self();
	uint64_t until_ns;
	sigset_t signals;

	*(recorded ? &trial_saw.n_recorded : &trial_saw.n_bare) += 1;
	pthread_sigmask(SIG_BLOCK, NULL, &signals);
	trial_saw.blocked &= sigismember(&signals, SIGUSR1) && sigismember(&signals, SIGALRM);
	trial_saw.in_task &= worker != trial_saw.own && worker->task != 0 &&
			     worker_state(worker) == WORKER_INSIDE;
	trial_saw.index = worker->index;
	if (!recorded)
		return;
	for (int i = 0; i < 4000; i++) { /* more than its ring has */
		record_wait(worker, 1, WIRE_WAIT_CHILDREN);
		record_resume(worker, worker->task);
	}
	until_ns = clock_monotonic_ns() + trial_saw.spin_ns; /* beside what events take */
	while (clock_monotonic_ns() < until_ns)
		;
}

static uint32_t told_ps(void)
{
	return atomic_load(&session_get()->runtime[TRIED].calls_ps);
}

/* A trial leaves its thread's worker, the session and the thread as they were; the lesser of two
 * figures counts. */
WORKER_TEST(test_trial)
{
	struct session *session = session_get();
	struct worker *own = worker_self() ? worker_self() : worker_attach();
	uint64_t head = atomic_load(&own->head), last_id = own->last_id, task = own->task, first_ps,
		 n_recorded;
	uint32_t n_sites = atomic_load(&session->n_sites), index = own->index;
	uint32_t n_workers = atomic_load(&session->n_workers);
	enum worker_state was = worker_state(own);
	sigset_t signals;

	n_tried = 0;
	atomic_store(&session->runtime[TRIED].calls_ps, 0);
	own->index = 17; /* shims know a thread by its worker's number */
	trial_saw = (__typeof__(trial_saw)){ .own = own, .in_task = true, .blocked = true };
	trial_saw.spin_ns = 8000000; /* as where others have the CPU all the time */
	record_trial(TRIED, make_nothing, 4000, 0);
	assert_int_equal(told_ps(), 0);
	trial_saw.spin_ns = 1000000;
	for (int i = 0; i < 500 && !told_ps(); i++) { /* others may have the CPU */
		n_tried = 0;
		record_trial(TRIED, make_nothing, 4000, 0);
	}
	first_ps = told_ps();
	assert_true(first_ps >= 500000 * 1000 / 4000);
	trial_saw.spin_ns = 0;
	for (int i = 0; i < 500 && told_ps() >= first_ps; i++) {
		n_tried = 1;
		trial_again();
	}
	assert_in_range(told_ps(), 1, first_ps - 1);
	n_recorded = trial_saw.n_recorded;
	trial_again(); /* another shim */
	assert_int_equal(trial_saw.n_recorded, n_recorded);
	assert_int_equal(trial_saw.n_recorded, trial_saw.n_bare);
	assert_true(trial_saw.n_recorded >= 3);
	assert_true(trial_saw.in_task && trial_saw.blocked);
	assert_int_equal(trial_saw.index, 17);

	own->index = index;
	assert_ptr_equal(worker_self(), own);
	assert_int_equal(atomic_load(&own->head), head);
	assert_int_equal(own->last_id, last_id);
	assert_int_equal(own->task, task);
	assert_int_equal(worker_state(own), was);
	assert_int_equal(atomic_load(&session->n_sites), n_sites);
	assert_int_equal(atomic_load(&session->n_workers), n_workers);
	pthread_sigmask(SIG_BLOCK, NULL, &signals);
	assert_false(sigismember(&signals, SIGUSR1));
}

/* What is told is besides the events, as many as read the clock; the least of all trials. */
WORKER_TEST(test_trial_tells)
{
	struct session *session = session_get();
	const uint32_t event_ps = session->event_ps, strand_ps = session->strand_ps;
	const struct tried plain = { .runtime = TRIED, .n_strands = 100 };
	const struct tried sharing = { .runtime = TRIED, .n_strands = 100, .n_shared = 100 };

	atomic_store(&session->runtime[TRIED].calls_ps, 0);
	session->event_ps = 9000;
	session->strand_ps = 6000;
	note_calls(&plain, TRIAL_MOST_PS + 18001); /* no measurement */
	assert_int_equal(told_ps(), 0);
	note_calls(&plain, TRIAL_MOST_PS + 18000);
	assert_int_equal(told_ps(), TRIAL_MOST_PS);
	note_calls(&sharing, 50000);
	assert_int_equal(told_ps(), 41000);
	note_calls(&plain, 50000);
	assert_int_equal(told_ps(), 32000);
	note_calls(&plain, 60000);
	assert_int_equal(told_ps(), 32000);
	assert_int_equal(session->event_ps, 9000);
	note_calls(&plain, 8000); /* events took more then than all takes now */
	assert_int_equal(session->event_ps, 4001);
	assert_int_equal(session->strand_ps, 2667); /* the same part of it */
	assert_int_equal(told_ps(), 1);
	session->event_ps = event_ps;
	session->strand_ps = strand_ps;
}

/* What takes no time at all is told, too, as tried. */
static void make_really_nothing(bool recorded)
{
}

WORKER_TEST(test_trial_of_nothing)
{
	uint32_t event_ps = session_get()->event_ps, strand_ps = session_get()->strand_ps;

	n_tried = 0;
	atomic_store(&session_get()->runtime[TRIED].calls_ps, 0);
	record_trial(TRIED, make_really_nothing, 1000000, 0);
	assert_int_equal(told_ps(), 1);
	assert_int_equal(session_get()->event_ps,
			 event_ps < 1 ? event_ps : 1); /* no more than all */
	session_get()->event_ps = event_ps;
	session_get()->strand_ps = strand_ps;
}

int main(void)
{
	session_give(&idle_collector);
	return test_all();
}
