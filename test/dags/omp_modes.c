/* SPDX-License-Identifier: MIT */
/*
 * omp_modes.c - tasks that read and write shared variables: in, inout, inoutset.
 *
 * Who comes after whom, by OpenMP 5.2, 15.9.5: a reader after the last writers; a writer after
 * these and the readers since; a task of an inoutset as a writer, but not after others of the set.
 * gcc before 13 has mutexinoutset instead, which libgomp takes for inout; and
 * clang, whose libomp takes it for an inoutset of which one task runs at a time.
 */
#include <omp.h>
#include <string.h>

#include "dags.h"

#define VARIABLES 5
#define CLAUSES 3
#if defined(__clang__)
#define HAS_INOUTSET 0
#define IS_SET 1
#else
#define HAS_INOUTSET (__GNUC__ >= 13)
#define IS_SET HAS_INOUTSET
#endif

enum mode { IN, INOUT, INOUTSET, MODES };

/* Nodes, as a set. */
typedef unsigned long long nodes;

static char variable[VARIABLES + DAGS_NODES]; /* the last ones are for one node alone */
static omp_depend_t clause[DAGS_NODES][CLAUSES];

static void clause_make(omp_depend_t *clause, enum mode mode, char *at)
{
	if (mode == IN) {
#pragma omp depobj(*clause) depend(in : *at)
	} else if (mode == INOUT) {
#pragma omp depobj(*clause) depend(inout : *at)
	} else {
#if HAS_INOUTSET
#pragma omp depobj(*clause) depend(inoutset : *at)
#else
#pragma omp depobj(*clause) depend(mutexinoutset : *at)
#endif
	}
}

/* What came before the node by this variable, and what it is for those after it. */
static nodes before_by(int at, enum mode mode, int node)
{
	static struct {
		nodes writers, readers, before_set;
		int is_set;
	} of[VARIABLES];
	nodes me = 1ull << node, before = of[at].writers;

	if (mode == IN) {
		of[at].readers |= me;
		return before;
	}
	before |= of[at].readers;
	if (mode == INOUTSET && IS_SET && of[at].is_set && !of[at].readers) {
		of[at].writers |= me;
		return of[at].before_set;
	}
	of[at].before_set = before;
	of[at].writers = me;
	of[at].readers = 0;
	of[at].is_set = mode == INOUTSET && IS_SET;
	return before;
}

static void clauses_make(int node)
{
	int used[VARIABLES] = { 0 }, n = 1 + (int)dags_random(CLAUSES);

	for (int k = 0; k < CLAUSES; k++) {
		int at = (int)dags_random(VARIABLES);
		enum mode mode = (enum mode)dags_random(MODES);
		nodes before;

		if (k >= n || used[at]++) {
			clause_make(&clause[node][k], INOUT, &variable[VARIABLES + node]);
			continue;
		}
		clause_make(&clause[node][k], mode, &variable[at]);
		before = before_by(at, mode, node);
		for (int from = 0; from < node; from++)
			dags_edge[from][node] |= before >> from & 1;
	}
}

void dags_run(void)
{
	memset(dags_edge, 0, sizeof(dags_edge));
	for (int i = 0; i < dags_n; i++)
		clauses_make(i);
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < dags_n; i++) {
		omp_depend_t *a = &clause[i][0], *b = &clause[i][1], *c = &clause[i][2];

#pragma omp task depend(depobj : *a) depend(depobj : *b) depend(depobj : *c)
		dags_body(i);
	}
}
