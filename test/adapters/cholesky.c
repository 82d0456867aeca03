/* SPDX-License-Identifier: MIT */
/* cholesky.c - the tasks of a Cholesky factorization of 12 x 12 tiles on QUARK; they only spin. */
#include <stdio.h>

#include "quark.h"

#define N 12
#define TILE(i, k) sizeof(double), &tile[i][k]

static double tile[N][N];
static volatile double sum;

#define KERNEL(name)                                                                               \
	static void name(Quark *quark)                                                             \
	{                                                                                          \
		(void)quark;                                                                       \
		for (int i = 0; i < 20000; i++)                                                    \
			sum = sum + 1;                                                             \
	}

KERNEL(potrf)
KERNEL(trsm)
KERNEL(syrk)
KERNEL(gemm)

int main(void)
{
	Quark *quark = QUARK_New(2);
	Quark_Task_Flags flags = Quark_Task_Flags_Initializer;

	for (int k = 0; k < N; k++) {
		QUARK_Insert_Task(quark, potrf, &flags, TILE(k, k), INOUT, 0);
		for (int m = k + 1; m < N; m++)
			QUARK_Insert_Task(quark, trsm, &flags, TILE(k, k), INPUT, TILE(m, k), INOUT,
					  0);
		for (int m = k + 1; m < N; m++) {
			QUARK_Insert_Task(quark, syrk, &flags, TILE(m, k), INPUT, TILE(m, m), INOUT,
					  0);
			for (int n = k + 1; n < m; n++)
				QUARK_Insert_Task(quark, gemm, &flags, TILE(m, k), INPUT,
						  TILE(n, k), INPUT, TILE(m, n), INOUT, 0);
		}
	}
	QUARK_Barrier(quark);
	QUARK_Delete(quark);
	puts("done");
	return 0;
}
