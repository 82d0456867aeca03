/* SPDX-License-Identifier: MIT */
/*
 * wave.c - how far two texts are apart [Levenshtein], in N x N blocks: a block comes after the one
 * above it and the one to its left.  Without dependences, diagonal by diagonal.
 */
#define PORT_WANTS_DEPENDS
#define PORT_SIZE 10
#define PORT_SMALL 3
#include "test/port/port.h"

#define SIDE 64 /* of a block */

struct map {
	long n, width;	  /* blocks a side; cells a side */
	unsigned *cell;	  /* the first row and column are its border */
	const char *text; /* both, one behind the other */
};

struct block {
	struct port_task task;
	const struct map *table;
	long row, column;
};
PORT_BODY(fill, struct block)

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

static void fill(struct block *at)
{
	const struct map *table = at->table;
	const char *across = table->text + table->width - 1;
	long width = table->width;

	for (long i = (at->row - 1) * SIDE + 1; i <= at->row * SIDE; i++)
		for (long j = (at->column - 1) * SIDE + 1; j <= at->column * SIDE; j++) {
			unsigned *cell = &table->cell[i * width + j];

			*cell = least(cell[-width] + 1, cell[-1] + 1,
				      cell[-width - 1] + (table->text[i - 1] != across[j - 1]));
		}
}

/* Row 0 and column 0 are the border, and no tasks. */
static void wave(struct block *block, long n)
{
	PORT_OPEN(group);
#if PORT_DEPENDS
	for (long row = 1; row <= n; row++)
		for (long column = 1; column <= n; column++) {
			struct block *at = &block[row * (n + 1) + column];

			PORT_CREATE_AFTER(group, fill, at, at - (n + 1), at - 1);
		}
	PORT_WAIT(group);
#else
	for (long diagonal = 2; diagonal <= 2 * n; diagonal++) {
		for (long row = 1; row <= n; row++) {
			struct block *at = &block[row * (n + 1) + diagonal - row];

			if (diagonal - row >= 1 && diagonal - row <= n)
				PORT_CREATE(group, fill, at);
		}
		PORT_WAIT(group);
	}
#endif
	PORT_CLOSE(group);
}

static long port_program(long size, long *n_tasks)
{
	struct map table;
	struct block *block =
		(struct block *)calloc((size_t)((size + 1) * (size + 1)), sizeof(*block));
	char *text = (char *)malloc((size_t)(2 * size * SIDE));
	unsigned value = 3, result;

	table.n = size;
	table.width = size * SIDE + 1;
	table.text = text;
	table.cell = (unsigned *)calloc((size_t)(table.width * table.width), sizeof(*table.cell));
	if (!block || !text || !table.cell)
		exit(1);
	for (long i = 0; i < 2 * size * SIDE; i++) {
		value = value * 1664525u + 1013904223u;
		text[i] = "abcd"[value >> 30];
	}
	for (long i = 0; i < table.width; i++)
		table.cell[i] = table.cell[i * table.width] = (unsigned)i;
	for (long i = 0; i < (size + 1) * (size + 1); i++) {
		block[i].table = &table;
		block[i].row = i / (size + 1);
		block[i].column = i % (size + 1);
	}
	*n_tasks = size * size;
	wave(block, size);
	result = table.cell[table.width * table.width - 1];
	free(table.cell);
	free(text);
	free(block);
	return result;
}
