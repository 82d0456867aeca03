/* SPDX-License-Identifier: MIT */
/* mth_wait.c - places where a thread waits or lets others go on. */
#include "shims/mth/mth_names.h"

#include "preload/poison.h"

MTH_IN_WAIT(CALL_WRAPPER)

MTH_WRAP_SHARED(myth_)

MTH_WRAP_SLEEP(myth_)

MTH_WAITS_VOID(myth_yield, (void), (), wrap_yield);
MTH_WAITS_VOID(myth_yield_ex, (int option), (option), wrap_yield);
MTH_WAITS(myth_sched_yield, (void), (), wrap_yield);

MTH_WAITS_FOR(NAMED, myth_join_counter_wait, (void *counter), (counter), counter);
MTH_RELEASES(myth_join_counter_dec, (void *counter), (counter), counter);
MTH_LOCKS(myth_felock_lock, (void *lock), (lock), lock);
MTH_UNLOCKS(myth_felock_unlock, (void *lock), (lock), lock);
MTH_TAKES(myth_felock_wait_and_lock, (void *lock, int status), (lock, status), wrap_wait_for,
	  WIRE_WAIT_WORD, (uintptr_t)lock);
MTH_UNLOCKS(myth_felock_mark_and_signal, (void *lock, int status), (lock, status), lock);
MTH_WAITS_FOR(NAMED, myth_uncond_wait, (void *uncond), (uncond), uncond);
MTH_RELEASES(myth_uncond_signal, (void *uncond), (uncond), uncond);
