/* SPDX-License-Identifier: MIT */
/* gomp_long.c - tasks with copy constructors, events, dependences, wide alignment, or much data. */
#include "shims/gomp/gomp_long.h"

#include <stdalign.h>
#include <sys/mman.h>

#include "shims/common/copy.h"

#include "preload/poison.h"

/* Whether libgomp forgets the event of the task that begins: see struct gomp_await. */
static bool is_forgotten(const struct stay *stay)
{
	const struct gomp_await *await = &gomp_thread.await;

	return stay->below && stay->below == await->task && stay->task != await->created;
}

void long_task_run(void *block)
{
	struct long_head *head = block;
	uint64_t *data = (void *)((char *)block + head->offset);
	struct worker *worker = record_worker();

	for (int i = 0; i < head->n_words; i++)
		data[i] = head->word[i];
	if (!worker) {
		head->fn(data);
		return;
	}
	struct stay stay =
		head->loop ? stay_member(worker, head->id) : stay_begin(worker, head->id);

	if (head->detached && !is_forgotten(&stay))
		record_detail(worker, WIRE_HANDLE, head->word[0]);
	head->fn(data);
	stay_end(&stay);
}

void long_task_copy(void *to, void *from)
{
	struct long_head *head = from;

	if (head->detached)
		*(uint64_t *)head->data = head->word[0];
	*(struct long_head *)to = *head;
	head->cpyfn((char *)to + head->offset, head->data);
}

void parcel_pack(struct parcel *parcel, gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes,
		 long align)
{
	size_t wide =
		align > (long)alignof(struct long_head) ? (size_t)align : alignof(struct long_head);

	parcel->head.fn = fn;
	parcel->head.cpyfn = cpyfn;
	parcel->head.data = data;
	parcel->head.offset = (uint32_t)((sizeof(struct long_head) + wide - 1) & ~(wide - 1));
	parcel->bytes = (size_t)bytes;
	parcel->align = wide;
}

void *parcel_lay(const struct parcel *parcel, char *room)
{
	uintptr_t at = ((uintptr_t)room + parcel->align - 1) & ~(parcel->align - 1);

	*(struct long_head *)at = parcel->head;
	copy_bytes((char *)at + parcel->head.offset, parcel->head.data, parcel->bytes);
	return (void *)at;
}

char *large_block_map(size_t bytes)
{
	void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return block == MAP_FAILED ? NULL : block;
}

void large_block_unmap(char *block, size_t bytes)
{
	munmap(block, bytes);
}
