/* SPDX-License-Identifier: MIT */
/*
 * tiles.h - a matrix in tiles, and tasks that read and write them: OpenMP's depend, StarPU's data.
 *
 * As in libraries of dense linear algebra, one task inserts all others, and what they
 * do with tiles says who waits for whom.  The kernels are those of LAPACK and BLAS (Fortran, by
 * columns).  TILE is the side of a tile.
 *
 *	TILES_KERNEL(gemm)				static void gemm(const struct call *)
 *	TILES_INSERT(gemm, w0, w1, r0, r1, call);	writes the tokens w0, w1, reads r0, r1
 *
 * A token is one byte of a tile; the same one may be given twice.
 */
#pragma once

#include <math.h>

#include "test/bench/bots/bots.h"

#ifndef TILE
#define TILE 96
#endif

struct token {
	char byte;
#ifndef _OPENMP
	starpu_data_handle_t handle;
#endif
};

struct tile {
	struct token whole, lower; /* lower: what is below its diagonal, and `t` */
	double *at;		   /* TILE x TILE */
	double *t;		   /* TILE x TILE: factors of the reflectors of QR */
};

struct call {
	struct tile *w0, *w1, *r0, *r1;
};

#ifdef _OPENMP

#define TILES_KERNEL(kernel) static void kernel(const struct call *of);
#define TILES_INSERT(kernel, w0_, w1_, r0_, r1_, call_)                                            \
	do {                                                                                       \
		struct token *w0 = (w0_), *w1 = (w1_), *r0 = (r0_), *r1 = (r1_);                   \
		struct call call = call_;                                                          \
		PORT_PRAGMA(omp task depend(inout                                                  \
					    : *w0, *w1) depend(in                                  \
							       : *r0, *r1) firstprivate(call))     \
		kernel(&call);                                                                     \
		n_inserted++;                                                                      \
	} while (0)

static void token_open(struct token *token)
{
	token->byte = 0;
}

static void token_close(struct token *token)
{
	token->byte = 0;
}

#else

#define TILES_KERNEL(kernel)                                                                       \
	static void kernel(const struct call *of);                                                 \
	static void kernel##_starpu(void **buffers, void *of)                                      \
	{                                                                                          \
		(void)buffers;                                                                     \
		kernel((const struct call *)of);                                                   \
	}                                                                                          \
	static struct starpu_codelet kernel##_codelet = {                                          \
		.cpu_funcs = { kernel##_starpu },                                                  \
		.nbuffers = STARPU_VARIABLE_NBUFFERS,                                              \
		.name = #kernel,                                                                   \
	};
#define TILES_INSERT(kernel, w0_, w1_, r0_, r1_, call_)                                            \
	do {                                                                                       \
		struct token *token[] = { (w0_), (w1_), (r0_), (r1_) };                            \
		struct call call = call_;                                                          \
		tiles_submit(&kernel##_codelet, &call, token);                                     \
		n_inserted++;                                                                      \
	} while (0)

static void token_open(struct token *token)
{
	starpu_void_data_register(&token->handle);
}

static void token_close(struct token *token)
{
	starpu_data_unregister(token->handle);
}

/* StarPU wants a piece of data once for each task. */
static void tiles_submit(struct starpu_codelet *codelet, const struct call *call,
			 struct token *const *token)
{
	struct starpu_task *task = starpu_task_create();
	struct call *own = (struct call *)malloc(sizeof(*own));

	*own = *call;
	task->cl = codelet;
	task->cl_arg = own;
	task->cl_arg_size = sizeof(*own);
	task->cl_arg_free = 1;
	task->nbuffers = 0;
	for (int i = 0; i < 4; i++) {
		enum starpu_data_access_mode mode = i < 2 ? STARPU_RW : STARPU_R;
		bool again = false;

		for (int k = 0; k < i; k++)
			again |= token[k] == token[i];
		if (again)
			continue;
		STARPU_TASK_SET_HANDLE(task, token[i]->handle, task->nbuffers);
		STARPU_TASK_SET_MODE(task, mode, task->nbuffers);
		task->nbuffers++;
	}
	bots_check(starpu_task_submit(task) == 0, "no task was submitted");
}

#endif

static long n_inserted;

/* ---- matrices of side x side tiles ---- */

static double *element(struct tile *tiles, long side, long row, long column)
{
	return &tiles[row / TILE * side + column / TILE].at[row % TILE + column % TILE * TILE];
}

static struct tile *tiles_open(long side)
{
	struct tile *tiles = (struct tile *)bots_alloc((size_t)(side * side), sizeof(*tiles));
	size_t n = (size_t)TILE * TILE;
	double *memory = (double *)bots_alloc(2 * n * (size_t)(side * side), sizeof(*memory));

	for (long i = 0; i < side * side; i++) {
		token_open(&tiles[i].whole);
		token_open(&tiles[i].lower);
		tiles[i].at = memory + 2 * n * (size_t)i;
		tiles[i].t = tiles[i].at + n;
	}
	return tiles;
}

static void tiles_close(struct tile *tiles, long side)
{
	for (long i = 0; i < side * side; i++) {
		token_close(&tiles[i].whole);
		token_close(&tiles[i].lower);
	}
	free(tiles[0].at);
	free(tiles);
}
