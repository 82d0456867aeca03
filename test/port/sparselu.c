/* SPDX-License-Identifier: MIT */
/*
 * sparselu.c - LU factorisation of a sparse matrix of N x N blocks, in phases: the diagonal block,
 * then its row and its column, then all that lies below and to the right of both.
 */
#ifndef PORT_SIZE
#define PORT_SIZE 9
#define PORT_SMALL 3
#endif
#include "test/port/port.h"

#ifndef SIDE
#define SIDE 16 /* of a block */
#endif

struct step {
	struct port_task task;
	double (*left)[SIDE], (*above)[SIDE], (*block)[SIDE];
};
PORT_BODY(row_step, struct step)
PORT_BODY(column_step, struct step)
PORT_BODY(inner_step, struct step)

typedef double (*block_ptr)[SIDE];

/* block = L U in place, the diagonal of L being 1. */
static void factorise(block_ptr block)
{
	for (int k = 0; k < SIDE; k++)
		for (int i = k + 1; i < SIDE; i++) {
			block[i][k] /= block[k][k];
			for (int j = k + 1; j < SIDE; j++)
				block[i][j] -= block[i][k] * block[k][j];
		}
}

/* A block of the diagonal's row: L x = block. */
static void row_step(struct step *at)
{
	for (int k = 0; k < SIDE; k++)
		for (int i = k + 1; i < SIDE; i++)
			for (int j = 0; j < SIDE; j++)
				at->block[i][j] -= at->left[i][k] * at->block[k][j];
}

/* One of its column: x U = block. */
static void column_step(struct step *at)
{
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++) {
			at->block[i][k] /= at->above[k][k];
			for (int j = k + 1; j < SIDE; j++)
				at->block[i][j] -= at->block[i][k] * at->above[k][j];
		}
}

static void inner_step(struct step *at)
{
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++)
			for (int j = 0; j < SIDE; j++)
				at->block[i][j] -= at->left[i][k] * at->above[k][j];
}

static block_ptr new_block(void)
{
	block_ptr block = (block_ptr)calloc(SIDE, sizeof(*block));

	if (!block)
		exit(1);
	return block;
}

/* Blocks near the diagonal, and one in three of the others. */
static void fill(block_ptr *matrix, long n)
{
	unsigned value = 7;

	for (long i = 0; i < n; i++)
		for (long j = 0; j < n; j++) {
			long away = i > j ? i - j : j - i;

			if (away > 1 && (i + j) % 3 != 0)
				continue;
			matrix[i * n + j] = new_block();
			for (int e = 0; e < SIDE * SIDE; e++) {
				value = value * 1664525u + 1013904223u;
				matrix[i * n + j][e / SIDE][e % SIDE] =
					(double)(value >> 16) / 65536.0 +
					(i == j && e / SIDE == e % SIDE ? 100.0 * (double)n : 0.0);
			}
		}
}

static struct step *next_step(struct step *step, long *n_steps, block_ptr left, block_ptr above,
			      block_ptr block)
{
	struct step *next = &step[(*n_steps)++];

	memset(next, 0, sizeof(*next));
	next->left = left;
	next->above = above;
	next->block = block;
	return next;
}

static long lu(block_ptr *matrix, long n)
{
	struct step *step = (struct step *)calloc((size_t)(n * n), sizeof(*step));
	long n_tasks = 0, n_steps;

	if (!step)
		exit(1);
	PORT_OPEN(group);
	for (long k = 0; k < n; k++) {
		block_ptr corner = matrix[k * n + k];

		factorise(corner);
		n_steps = 0;
		for (long j = k + 1; j < n; j++) {
			block_ptr right = matrix[k * n + j], below = matrix[j * n + k];

			if (right) {
				struct step *next = next_step(step, &n_steps, corner, NULL, right);

				PORT_CREATE(group, row_step, next);
			}
			if (below) {
				struct step *next = next_step(step, &n_steps, NULL, corner, below);

				PORT_CREATE(group, column_step, next);
			}
		}
		PORT_WAIT(group);
		n_tasks += n_steps;
		n_steps = 0;
		for (long i = k + 1; i < n; i++)
			for (long j = k + 1; j < n; j++) {
				struct step *next;

				if (!matrix[i * n + k] || !matrix[k * n + j])
					continue;
				if (!matrix[i * n + j])
					matrix[i * n + j] = new_block();
				next = next_step(step, &n_steps, matrix[i * n + k],
						 matrix[k * n + j], matrix[i * n + j]);
				PORT_CREATE(group, inner_step, next);
			}
		PORT_WAIT(group);
		n_tasks += n_steps;
	}
	free(step);
	PORT_CLOSE(group);
	return n_tasks;
}

static long port_program(long size, long *n_tasks)
{
	block_ptr *matrix = (block_ptr *)calloc((size_t)(size * size), sizeof(*matrix));
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	if (!matrix)
		exit(1);
	fill(matrix, size);
	*n_tasks = lu(matrix, size);
	for (long b = 0; b < size * size; b++) {
		const unsigned char *byte = (const unsigned char *)matrix[b];

		for (size_t i = 0; byte && i < SIDE * sizeof(*matrix[b]); i++)
			hash = (hash ^ byte[i]) * 1099511628211u;
		free(matrix[b]);
	}
	free(matrix);
	return (long)(hash >> 8);
}
