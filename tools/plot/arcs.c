/* SPDX-License-Identifier: MIT */
/* arcs.c - finds the strands that began elsewhere, and draws from where they came. */
#include "tools/plot/arcs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/ready_path.h"
#include "tools/analysis/released.h"
#include "tools/base/xalloc.h"
#include "tools/plot/colours.h"
#include "tools/table/put.h"

#define WIDTH .6 /* of a line, in points */
#define REACH 3. /* to the right, in points for each row it crosses */
#define REACH_MOST 24.
#define STEPS 12u /* straight ones in a half ellipse */
#define PI 3.14159265358979323846

const char *const arc_name[ARCS] = {
	"steals", "leaps", "migrations", "creates", "joins", "depends"
};

uint32_t arcs_colour(enum arc_what what)
{
	static const uint32_t colour[ARCS] = {
		[ARC_STEALS] = COLOUR_INK, [ARC_LEAPS] = 0xc800c8, [ARC_MIGRATIONS] = 0x009e73,
		[ARC_CREATES] = 0x56b4e9,  [ARC_JOINS] = 0xcc79a7, [ARC_DEPENDS] = 0xc9a400,
	};

	return colour[what];
}

static bool wants(const struct arcs *arcs, enum arc_what what)
{
	return arcs->wanted >> what & 1;
}

/* What leads to a strand of another worker than `from` ran on; ARCS: nothing that is wanted. */
static enum arc_what kind_of(const struct arcs *arcs, strand_id s, strand_id from, bool leap)
{
	const struct dag *dag = arcs->summary->dag;
	enum arc_what move = leap && wants(arcs, ARC_LEAPS) ? ARC_LEAPS : ARC_STEALS, edge = ARCS;

	if (released_move(dag, s, from) == MOVE_STEAL && wants(arcs, move))
		return move;
	if (released_move(dag, s, from) == MOVE_MIGRATION && wants(arcs, ARC_MIGRATIONS))
		return ARC_MIGRATIONS;
	switch (dag_edge_kind(dag, from, s)) {
	case EDGE_CREATE:
		edge = dag->how[s] & STRAND_FIRST ? ARC_CREATES : ARCS;
		break;
	case EDGE_JOIN:
		edge = ARC_JOINS;
		break;
	case EDGE_DEPEND:
	case EDGE_SYNC:
		edge = ARC_DEPENDS;
		break;
	default:
		break;
	}
	return edge != ARCS && wants(arcs, edge) ? edge : ARCS;
}

static double middle_of(const struct arcs *arcs, uint32_t worker)
{
	double height = arcs->frame->height / arcs->n_rows;

	return arcs->frame->top + height * arcs->row[worker] + height * .43;
}

static void put_arc(const struct arcs *arcs, enum arc_what what, strand_id s, uint32_t from)
{
	const struct dag *dag = arcs->summary->dag;
	uint32_t to = dag->strand[s].worker;
	double x = axes_at_x(arcs->frame, arcs->x, (double)dag_start(dag, s));
	double y0 = middle_of(arcs, from), y1 = middle_of(arcs, to), dot = WIDTH * 1.6;
	double rows = fabs((double)arcs->row[from] - arcs->row[to]);
	double right = arcs->frame->left + arcs->frame->width;
	struct point point[STEPS + 1];

	for (uint32_t i = 0; i <= STEPS; i++) {
		double angle = PI * i / STEPS, reach = fmin(REACH_MOST, REACH * rows);

		point[i] = (struct point){ fmin(right, x + reach * sin(angle)),
					   y0 + (y1 - y0) * (1 - cos(angle)) / 2 };
	}
	picture_line(arcs->picture, arcs_colour(what), WIDTH, false, point, STEPS + 1);
	picture_rect(arcs->picture, arcs_colour(what), x - dot, y1 - dot, 2 * dot, 2 * dot);
}

static void put_row(const struct arcs *arcs, enum arc_what what, strand_id s, strand_id from)
{
	const struct dag *dag = arcs->summary->dag;
	uint64_t start = dag_start(dag, s), ready = dag_end(dag, from);
	char name[256];

	fprintf(arcs->csv, "%u,%" PRIu64 ",%" PRIu64 ",%s,", dag->strand[s].worker, ready, start,
		arc_name[what]);
	place_text(name, sizeof(name), &arcs->summary->rows.code[dag_kind(dag, s)]);
	put_quoted(arcs->csv, name);
	fprintf(arcs->csv, ",%" PRIu64 ",%u\n", start - ready, dag->strand[from].worker);
}

/* By strand, whether it was a leap. */
static uint8_t *mark_leaps(const struct summary *summary)
{
	uint8_t *leap = xcalloc(summary->dag->n_strands + 1ull, 1);

	for (uint64_t i = 0; i < summary->distributions.n_leaps; i++)
		leap[summary->distributions.leap[i]] = 1;
	return leap;
}

/* A migration comes from where its task waited, all others from who released it. */
static int put_strand(const struct arcs *arcs, strand_id s, bool leap, uint32_t *n)
{
	const struct dag *dag = arcs->summary->dag;
	uint32_t no_hint = 0;
	strand_id from = dag_releaser(dag, s, &no_hint);
	enum arc_what what;

	if (from == STRAND_NONE)
		return 0;
	what = kind_of(arcs, s, from, leap);
	if (what == ARC_MIGRATIONS)
		from = dag->strand[s].pred;
	else if (dag_is_node(dag, from))
		from = ready_path_released_by(dag, s, &no_hint);
	if (what == ARCS || from == STRAND_NONE ||
	    dag->strand[from].worker == dag->strand[s].worker)
		return 0;
	if (++*n > ARCS_MOST)
		return -E2BIG;
	put_arc(arcs, what, s, dag->strand[from].worker);
	if (arcs->csv)
		put_row(arcs, what, s, from);
	return 0;
}

int arcs_put(const struct arcs *arcs, struct err *err)
{
	const struct dag *dag = arcs->summary->dag;
	const struct select *select = run_selected(arcs->summary->run);
	uint8_t *leap = mark_leaps(arcs->summary);
	uint32_t n = 0;
	int error = 0;

	for (strand_id s = 0; s < dag->n_strands && !error; s++)
		if (!dag_is_node(dag, s) &&
		    select_has(select, dag_start(dag, s), dag_start(dag, s)))
			error = put_strand(arcs, s, leap[s], &n);
	free(leap);
	if (error == -E2BIG)
		return err_set(err, E2BIG,
			       "%s: more than %u arcs cannot be told apart; select less time with "
			       "--from and --to",
			       arcs->summary->file->path, ARCS_MOST);
	return error;
}
