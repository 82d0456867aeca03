/* SPDX-License-Identifier: MIT */
/* death_notice.c - registers a word that the kernel writes to when its thread dies. */
#include "collector/outside/death_notice.h"

#include <sys/syscall.h>
#include <unistd.h>

void death_notice_make(struct death_notice *notice, _Atomic uint32_t *life)
{
	*notice = (struct death_notice){ .life = life, .tid = (uint32_t)syscall(SYS_gettid) };
	notice->entry.next = &notice->head.list;
	notice->head.list.next = &notice->entry;
	notice->head.futex_offset = (long)((intptr_t)life - (intptr_t)&notice->entry);
	if (syscall(SYS_set_robust_list, &notice->head, sizeof(notice->head)) == 0)
		atomic_store(life, notice->tid);
	else
		notice->life = NULL;
}

bool death_notice_is_ours(const struct death_notice *notice)
{
	return !notice->life || atomic_load(notice->life) == notice->tid;
}

void death_notice_end(struct death_notice *notice, uint32_t word)
{
	uint32_t mine = notice->tid;

	if (notice->life)
		atomic_compare_exchange_strong(notice->life, &mine, word);
	notice->head.list.next = &notice->head.list;
}
