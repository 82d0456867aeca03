/* SPDX-License-Identifier: MIT */
/*
 * starpu_layout.h - where the fields of struct starpu_task and struct starpu_codelet lie.
 *
 * A submitted task's handles, modes and flags have no accessor functions.  The offsets are those
 * of include/starpu_task.h of the versions named, compiled for a 64-bit machine with
 * STARPU_NMAXBUFS 8 and STARPU_MAXIMPLEMENTATIONS 4, as they are by default; the versions between
 * the first and the last of a row agree.  A libstarpu that was configured otherwise has another
 * sizeof(struct starpu_task): see layout_fits().  test/work/starpu/layout.c compares the row
 * of the installed version with the compiler's offsetof.
 */
#pragma once

#include <stdint.h>

struct starpu_layout {
	uint8_t minor, micro_first, micro_last; /* 1.minor.micro */
	uint8_t rank;				/* which argument of _starpu_driver_start_job() */
	uint16_t task_bytes;

	/* in struct starpu_task; 0 is one that this version does not have */
	uint16_t cl, where, nbuffers, dyn_handles, dyn_modes, handles, modes;
	uint16_t handles_sequential_consistency, callback_func, tag_id;
	uint16_t flags; /* 32 bits: see enum starpu_flag */
	uint16_t flag0; /* the first flag's bit */
	uint16_t magic, sched_ctx, omp_task, nb_termination_call_required;

	/* in struct starpu_codelet */
	uint16_t cl_nbuffers, cl_modes, cl_dyn_modes;
};

/* Bit fields of struct starpu_task, which follow each other in this order in all versions. */
enum starpu_flag {
	STARPU_FLAG_USE_TAG,
	STARPU_FLAG_SEQUENTIAL_CONSISTENCY,
	STARPU_FLAG_SYNCHRONOUS,
	STARPU_FLAG_ON_A_WORKER,
	STARPU_FLAG_DETACH,
	STARPU_FLAG_DESTROY,
	STARPU_FLAG_REGENERATE,
};

/* In struct starpu_task: the same in all versions. */
#define STARPU_TASK_NAME 0

/* In struct starpu_codelet: the same in all versions. */
#define STARPU_CL_WHERE 0
#define STARPU_CL_TYPE 16
#define STARPU_CL_CPU_FUNCS 48

/* clang-format off */
static const struct starpu_layout starpu_layouts[] = {
	/* 1.2 */
	{ 2, 0, 2, 4, 400,
	  8, 0, 16, 184, 200, 24, 152, 0, 224, 272, 280, 4, 0, 0, 392, 0,
	  256, 260, 296 },
	{ 2, 3, 99, 3, 400,
	  8, 0, 16, 184, 200, 24, 152, 0, 224, 272, 280, 4, 0, 0, 392, 0,
	  256, 260, 296 },
	/* 1.3; the first two had room for one more kind of processor in a codelet */
	{ 3, 0, 1, 3, 448,
	  8, 16, 20, 24, 40, 48, 176, 208, 232, 280, 288, 4, 324, 336, 424, 432,
	  288, 292, 328 },
	{ 3, 2, 98, 3, 448,
	  8, 16, 20, 24, 40, 48, 176, 208, 232, 280, 288, 4, 324, 336, 424, 432,
	  256, 260, 296 },
	/* 1.4 */
	{ 4, 0, 98, 3, 552,
	  24, 32, 36, 40, 56, 64, 192, 224, 280, 344, 352, 6, 388, 400, 488, 536,
	  280, 284, 320 },
};
/* clang-format on */
#define STARPU_LAYOUTS (sizeof(starpu_layouts) / sizeof(starpu_layouts[0]))
