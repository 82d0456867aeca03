/* SPDX-License-Identifier: MIT */
/* will.c - registers a word that the kernel writes to when its thread dies. */
#include "collector/outside/will.h"

#include <sys/syscall.h>
#include <unistd.h>

void will_make(struct will *will, _Atomic uint32_t *life)
{
	*will = (struct will){ .life = life, .tid = (uint32_t)syscall(SYS_gettid) };
	will->entry.next = &will->head.list;
	will->head.list.next = &will->entry;
	will->head.futex_offset = (long)((intptr_t)life - (intptr_t)&will->entry);
	if (syscall(SYS_set_robust_list, &will->head, sizeof(will->head)) == 0)
		atomic_store(life, will->tid);
	else
		will->life = NULL;
}

bool will_holds(const struct will *will)
{
	return !will->life || atomic_load(will->life) == will->tid;
}

void will_leave(struct will *will, uint32_t word)
{
	uint32_t mine = will->tid;

	if (will->life)
		atomic_compare_exchange_strong(will->life, &mine, word);
	will->head.list.next = &will->head.list;
}
