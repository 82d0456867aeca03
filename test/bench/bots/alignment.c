/* SPDX-License-Identifier: MIT */
/*
 * alignment.c - how well N proteins fit each other: the best local alignment of each pair, with
 * gaps that cost to open and to extend [Smith and Waterman 1981; Gotoh 1982].  A task a pair, all
 * of them made by one.
 */
#define PORT_SIZE 100
#define PORT_SMALL 12
#include "test/bench/bots/bots.h"

#define ACIDS 20
#define SHORTEST 100
#define LONGEST 300
#define OPEN 10
#define EXTEND 1

struct protein {
	int n;
	unsigned char acid[LONGEST];
};

struct pair {
	struct port_task task;
	const struct protein *a, *b;
	int score;
};
PORT_BODY(align, struct pair)

static signed char alignment_likeness[ACIDS][ACIDS];

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* A row after the other: the best that ends in both, or in a gap of either. */
static void align(struct pair *at)
{
	int both[LONGEST + 1] = { 0 }, gap_b[LONGEST + 1];

	at->score = 0;
	for (int j = 0; j <= at->b->n; j++)
		gap_b[j] = -OPEN;
	for (int i = 0; i < at->a->n; i++) {
		const signed char *likeness = alignment_likeness[at->a->acid[i]];
		int diagonal = 0, gap_a = -OPEN;

		for (int j = 1; j <= at->b->n; j++) {
			int score = larger(0, diagonal + likeness[at->b->acid[j - 1]]);

			score = larger(score, larger(gap_a, gap_b[j]));
			diagonal = both[j];
			both[j] = score;
			gap_a = larger(score - OPEN, gap_a - EXTEND);
			gap_b[j] = larger(score - OPEN, gap_b[j] - EXTEND);
			at->score = larger(at->score, score);
		}
	}
}

/* As proteins of a family have it: a stretch of an earlier one, some acids changed. */
static void make_up(struct protein *protein, long n)
{
	unsigned state = 17;

	for (int a = 0; a < ACIDS; a++)
		for (int b = 0; b <= a; b++)
			alignment_likeness[a][b] = alignment_likeness[b][a] =
				(signed char)(a == b ? 4 + bots_random(&state) % 8
						     : bots_random(&state) % 8 - 5);
	for (long i = 0; i < n; i++) {
		const struct protein *family = i ? &protein[bots_random(&state) % i] : NULL;

		protein[i].n = (int)(SHORTEST + bots_random(&state) % (LONGEST - SHORTEST));
		for (int k = 0; k < protein[i].n; k++) {
			bool kept = family && k < family->n && bots_random(&state) % 4;

			protein[i].acid[k] = (unsigned char)(kept ? family->acid[k]
								  : bots_random(&state) % ACIDS);
		}
	}
}

/* With itself, a protein fits best acid by acid. */
static void check(const struct protein *protein)
{
	struct pair self;
	int score = 0;

	memset(&self, 0, sizeof(self));
	self.a = self.b = protein;
	align(&self);
	for (int k = 0; k < protein->n; k++)
		score += alignment_likeness[protein->acid[k]][protein->acid[k]];
	bots_check(self.score == score, "a protein's score with itself");
}

static long port_program(long size, long *n_tasks)
{
	struct protein *protein = (struct protein *)bots_alloc((size_t)size, sizeof(*protein));
	struct pair *pair = (struct pair *)bots_alloc((size_t)(size * size), sizeof(*pair));
	long n = 0, result = 0;

	PORT_OPEN(group);
	make_up(protein, size);
	for (long i = 0; i < size; i++)
		for (long j = i + 1; j < size; j++) {
			pair[n].a = &protein[i];
			pair[n].b = &protein[j];
			PORT_CREATE(group, align, &pair[n]);
			n++;
		}
	PORT_WAIT(group);
	check(&protein[0]);
	for (long i = 0; i < n; i++)
		result = (result * 31 + pair[i].score) % 1000000007;
	*n_tasks = n;
	free(pair);
	free(protein);
	PORT_CLOSE(group);
	return result;
}
