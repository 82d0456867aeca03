/* SPDX-License-Identifier: MIT */
/*
 * heap.c - blocks by size class, from lists of free ones; large blocks are maps of their own.
 *
 * A class is a power of two or one of three steps between it and the next, so that at most a fifth
 * of a block is unused.
 */
#include "preload/inside/heap.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/session/futex.h"

#define LEAST_BITS 6u		 /* 64 bytes */
#define LARGE_BYTES (128u << 10) /* and more: a map of its own */
#define CHUNK_BYTES (256u << 10) /* what the others are cut from */
#define CLASSES (4u * (17u - LEAST_BITS) + 1u)
#define PAGE_BYTES 4096u
#define LEAD 48u /* before the head of a large block, which so begins at a multiple of 64 */

/* Before each block, which so begins at a multiple of 16. */
struct head {
	size_t bytes; /* of the block with its head, or of its map */
	struct head *next;
};

static struct {
	_Atomic uint32_t lock; /* futex.h */
	struct head *free[CLASSES];
	char *chunk, *chunk_end;
} heap;

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void __wrap_free(void *block);
char *__wrap_strdup(const char *text);

void heap_forget(void)
{
	memset(&heap, 0, sizeof(heap));
}

static void *map(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* The class that has room for so many bytes, which are fewer than LARGE_BYTES. */
static unsigned block_class(size_t bytes)
{
	if (bytes <= 1u << LEAST_BITS)
		return 0;
	unsigned bits = 63 - __builtin_clzll(bytes - 1); /* 2^bits < bytes <= 2^(bits + 1) */

	return 4 * (bits - LEAST_BITS) + (unsigned)((bytes - 1) >> (bits - 2) & 3) + 1;
}

static size_t class_bytes(unsigned class)
{
	return (size_t)(4 + class % 4) << (class / 4 + LEAST_BITS - 2);
}

/* Holds the lock. */
static struct head *cut(size_t bytes)
{
	if ((size_t)(heap.chunk_end - heap.chunk) < bytes) {
		char *chunk = map(CHUNK_BYTES);

		if (!chunk)
			return NULL;
		heap.chunk = chunk;
		heap.chunk_end = chunk + CHUNK_BYTES;
	}
	struct head *head = (struct head *)heap.chunk;

	heap.chunk += bytes;
	return head;
}

static struct head *block_take(unsigned class)
{
	futex_lock(&heap.lock);
	struct head *head = heap.free[class];

	if (head)
		heap.free[class] = head->next;
	else
		head = cut(class_bytes(class));
	futex_unlock(&heap.lock);
	return head;
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

void *__wrap_malloc(size_t bytes)
{
	struct head *head = NULL;
	int error = errno;

	if (bytes < PTRDIFF_MAX - PAGE_BYTES) {
		bytes += sizeof(*head);
		if (bytes > LARGE_BYTES) {
			bytes = whole_pages(bytes + LEAD);
			head = map(bytes);
			head = head ? (struct head *)((char *)head + LEAD) : NULL;
		} else {
			head = block_take(block_class(bytes));
			bytes = class_bytes(block_class(bytes));
		}
	}
	errno = head ? error : ENOMEM;
	if (!head)
		return NULL;
	head->bytes = bytes;
	return head + 1;
}

void __wrap_free(void *block)
{
	struct head *head;
	int error = errno;

	if (!block)
		return;
	head = (struct head *)block - 1;
	if (head->bytes > LARGE_BYTES) {
		munmap((char *)head - LEAD, head->bytes);
	} else {
		unsigned class = block_class(head->bytes);

		futex_lock(&heap.lock);
		head->next = heap.free[class];
		heap.free[class] = head;
		futex_unlock(&heap.lock);
	}
	errno = error;
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	size_t all;
	void *block = NULL;

	if (__builtin_mul_overflow(n, bytes, &all))
		errno = ENOMEM;
	else
		block = __wrap_malloc(all);
	if (block && all + sizeof(struct head) <= LARGE_BYTES) /* else new from the kernel */
		memset(block, 0, all);
	return block;
}

void *__wrap_realloc(void *old, size_t bytes)
{
	struct head *head;

	if (!old)
		return __wrap_malloc(bytes);
	head = (struct head *)old - 1;
	size_t had = head->bytes - sizeof(*head) - (head->bytes > LARGE_BYTES ? LEAD : 0);

	if (bytes <= had && bytes >= had / 2)
		return old;
	if (head->bytes > LARGE_BYTES && bytes > had && bytes < PTRDIFF_MAX - PAGE_BYTES) {
		size_t room = whole_pages(bytes + sizeof(*head) + LEAD);
		char *moved = mremap((char *)head - LEAD, head->bytes, room, MREMAP_MAYMOVE);

		if (moved == MAP_FAILED)
			return NULL;
		head = (struct head *)(moved + LEAD);
		head->bytes = room;
		return head + 1;
	}
	void *block = __wrap_malloc(bytes);

	if (!block)
		return NULL;
	memcpy(block, old, bytes < had ? bytes : had);
	__wrap_free(old);
	return block;
}

char *__wrap_strdup(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = __wrap_malloc(bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}
