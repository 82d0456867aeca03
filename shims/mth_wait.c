/* SPDX-License-Identifier: MIT */
/* mth_wait.c - places where a thread waits or lets others go on. */
#include "shims/mth_wrap.h"

#include "preload/poison.h"

MTH_WRAP_SHARED(myth_)

MTH_WAITS_VOID(myth_yield, (void), MTH_YIELDS, ())
MTH_WAITS_VOID(myth_yield_ex, (int option), MTH_YIELDS, (option))
MTH_WAITS(int, myth_sched_yield, (void), MTH_YIELDS, ())
MTH_WAITS(unsigned, myth_sleep, (unsigned s), MTH_UNTIL(OBJECT, &s), (s))
MTH_WAITS(int, myth_usleep, (unsigned us), MTH_UNTIL(OBJECT, &us), (us))
MTH_WAITS(int, myth_nanosleep, (const void *length, void *left), MTH_UNTIL(OBJECT, &left),
	  (length, left))

MTH_WAITS(int, myth_join_counter_wait, (void *counter), MTH_UNTIL(NAMED, counter), (counter))
MTH_RELEASES(myth_join_counter_dec, (void *counter), counter, (counter))
MTH_LOCKS(myth_felock_lock, (void *lock), lock, (lock))
MTH_RELEASES(myth_felock_unlock, (void *lock), lock, (lock))
MTH_WAITS(int, myth_felock_wait_and_lock, (void *lock, int status), MTH_UNTIL(NAMED, lock),
	  (lock, status))
MTH_RELEASES(myth_felock_mark_and_signal, (void *lock, int status), lock, (lock, status))
MTH_WAITS(int, myth_uncond_wait, (void *uncond), MTH_UNTIL(NAMED, uncond), (uncond))
MTH_RELEASES(myth_uncond_signal, (void *uncond), uncond, (uncond))
