/* SPDX-License-Identifier: MIT */
/* leaves.c - leaves of a B-tree as rows come, and the levels above them at the end. */
#include "tools/export/leaves.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/map.h"

#define LEAF 13
#define INTERIOR 5
#define LEAF_HEAD 8u
#define INTERIOR_HEAD 12u
#define VARINT_MOST 9u
#define CHILDREN_MOST ((LEAVES_PAGE - INTERIOR_HEAD) / (2 + 4 + VARINT_MOST) + 1)
#define LOCK_PAGE ((1u << 30) / LEAVES_PAGE + 1) /* SQLite locks bytes of it, and uses none */
#define COUNT_AT 28				 /* where the file's head has the number of pages */

static void put_big(unsigned char *to, uint64_t value, uint32_t bytes)
{
	while (bytes-- > 0) {
		to[bytes] = (unsigned char)value;
		value >>= 8;
	}
}

/* Seven bits a byte, the highest first; a ninth has eight.  Returns the bytes. */
static uint32_t put_varint(unsigned char *to, uint64_t value)
{
	uint32_t n = 1;

	if (value >> 56) {
		put_big(to + 8, value, 1);
		value >>= 8;
		for (int i = 8; i-- > 0; value >>= 7)
			to[i] = (unsigned char)(value | 0x80);
		return VARINT_MOST;
	}
	while (value >> (7 * n))
		n++;
	for (uint32_t i = n; i-- > 0; value >>= 7)
		to[i] = (unsigned char)((value & 0x7f) | (i + 1 < n ? 0x80 : 0));
	return n;
}

static void write_page(struct leaves *leaves, uint32_t number, const unsigned char *page)
{
	off_t at = (off_t)(number - 1) * LEAVES_PAGE;

	if (!leaves->error && pwrite(leaves->fd, page, LEAVES_PAGE, at) != LEAVES_PAGE)
		leaves->error = errno ? -errno : -EIO;
}

static uint32_t new_page(struct leaves *leaves)
{
	leaves->n += leaves->n + 1 == LOCK_PAGE ? 2 : 1;
	return leaves->n;
}

static void add_child(struct leaves *leaves, uint32_t page, int64_t last)
{
	if (!array_grow(&leaves->child, &leaves->room, leaves->n_children + 1,
			sizeof(*leaves->child)))
		leaves->error = -ENOMEM;
	else
		leaves->child[leaves->n_children++] = (struct leaf_child){ page, last };
}

/* ---- leaves ---- */

static void clear_leaf(struct leaves *leaves)
{
	memset(leaves->page, 0, LEAVES_PAGE);
	leaves->n_rows = 0;
	leaves->top = LEAVES_PAGE;
}

static void put_page_head(unsigned char *page, unsigned char type, uint32_t n, uint32_t top)
{
	page[0] = type;
	put_big(page + 3, n, 2);
	put_big(page + 5, top, 2);
}

static void end_leaf(struct leaves *leaves, uint32_t number)
{
	put_page_head(leaves->page, LEAF, leaves->n_rows, leaves->top);
	write_page(leaves, number, leaves->page);
}

/* The type of an integer, whose bytes become *bytes. */
static unsigned char type_of(const struct leaf_value *value, uint32_t *bytes)
{
	static const unsigned char size[] = { 1, 2, 3, 4, 6 };
	int64_t of = value->value;

	*bytes = 0;
	if (value->is_null)
		return 0;
	if (of == 0 || of == 1)
		return (unsigned char)(8 + of);
	for (unsigned char type = 1; type <= sizeof(size); type++) {
		*bytes = size[type - 1];
		if (of >> (8 * *bytes - 1) == 0 || of >> (8 * *bytes - 1) == -1)
			return type;
	}
	*bytes = 8;
	return 6;
}

void leaves_row(struct leaves *leaves, int64_t id, const struct leaf_value *value, uint32_t n)
{
	unsigned char cell[2 * VARINT_MOST + (1 + 8) * LEAVES_COLUMNS + 1], type[LEAVES_COLUMNS];
	uint32_t size[LEAVES_COLUMNS], body = n + 1, at;

	for (uint32_t i = 0; i < n; i++) {
		type[i] = type_of(&value[i], &size[i]);
		body += size[i];
	}
	at = put_varint(cell, body);
	at += put_varint(cell + at, (uint64_t)id);
	cell[at++] = (unsigned char)(n + 1);
	memcpy(cell + at, type, n);
	at += n;
	for (uint32_t i = 0; i < n; at += size[i++])
		put_big(cell + at, (uint64_t)value[i].value, size[i]);
	if (LEAF_HEAD + 2 * (leaves->n_rows + 1) + at > leaves->top) {
		uint32_t number = new_page(leaves);

		end_leaf(leaves, number);
		add_child(leaves, number, leaves->last);
		clear_leaf(leaves);
	}
	leaves->top -= at;
	memcpy(leaves->page + leaves->top, cell, at);
	put_big(leaves->page + LEAF_HEAD + 2 * leaves->n_rows++, leaves->top, 2);
	leaves->last = id;
}

/* ---- the levels above ---- */

static void put_interior(struct leaves *leaves, uint32_t number, const struct leaf_child *child,
			 uint32_t n)
{
	unsigned char page[LEAVES_PAGE] = { 0 }, cell[4 + VARINT_MOST];
	uint32_t top = LEAVES_PAGE;

	for (uint32_t i = 0; i + 1 < n; i++) {
		uint32_t bytes = 4 + put_varint(cell + 4, (uint64_t)child[i].last);

		put_big(cell, child[i].page, 4);
		top -= bytes;
		memcpy(page + top, cell, bytes);
		put_big(page + INTERIOR_HEAD + 2 * i, top, 2);
	}
	put_page_head(page, INTERIOR, n - 1, top);
	put_big(page + 8, child[n - 1].page, 4);
	write_page(leaves, number, page);
}

/* Replaces the children by the pages above them, of which each has as many. */
static void put_level(struct leaves *leaves)
{
	uint64_t n = (leaves->n_children + CHILDREN_MOST - 1) / CHILDREN_MOST, from = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t to = leaves->n_children * (i + 1) / n;
		uint32_t number = new_page(leaves);

		put_interior(leaves, number, &leaves->child[from], (uint32_t)(to - from));
		leaves->child[i] = (struct leaf_child){ number, leaves->child[to - 1].last };
		from = to;
	}
	leaves->n_children = n;
}

void leaves_begin(struct leaves *leaves, uint32_t root)
{
	leaves->root = root;
	leaves->n_children = 0;
	clear_leaf(leaves);
}

void leaves_end(struct leaves *leaves)
{
	uint32_t number = leaves->n_children ? new_page(leaves) : leaves->root;

	end_leaf(leaves, number);
	if (number == leaves->root)
		return;
	add_child(leaves, number, leaves->last);
	while (!leaves->error && leaves->n_children > CHILDREN_MOST)
		put_level(leaves);
	if (!leaves->error)
		put_interior(leaves, leaves->root, leaves->child, (uint32_t)leaves->n_children);
}

int leaves_open(struct leaves *leaves, const char *path)
{
	struct stat stat;

	*leaves = (struct leaves){ .fd = open(path, O_RDWR | O_CLOEXEC) };
	if (leaves->fd < 0 || fstat(leaves->fd, &stat) < 0)
		leaves->error = -errno;
	else
		leaves->n = (uint32_t)(stat.st_size / LEAVES_PAGE);
	return leaves->error;
}

int leaves_close(struct leaves *leaves)
{
	unsigned char count[4];

	put_big(count, leaves->n, sizeof(count));
	if (!leaves->error && pwrite(leaves->fd, count, sizeof(count), COUNT_AT) != sizeof(count))
		leaves->error = errno ? -errno : -EIO;
	if (leaves->fd >= 0)
		close(leaves->fd);
	free(leaves->child);
	return leaves->error;
}
