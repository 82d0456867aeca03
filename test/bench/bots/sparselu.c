/* SPDX-License-Identifier: MIT */
/* sparselu.c - LU factorisation of a sparse matrix of N x N blocks; a task for each block. */
#define PORT_SIZE 24
#define PORT_SMALL 4
#define SIDE 64
#include "test/port/sparselu.c"
