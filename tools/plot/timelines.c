/* SPDX-License-Identifier: MIT */
/* timelines.c - a row for each worker: the strands that it ran, by kind, and what it was in
 * between. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tools/analysis/sweep.h"
#include "tools/base/xalloc.h"
#include "tools/plot/axes.h"
#include "tools/plot/colours.h"
#include "tools/plot/draw.h"
#include "tools/table/put.h"
#include "tools/view/bins.h"
#include "tools/analysis/ready_path.h"
#include "tools/analysis/released.h"
#include "tools/plot/plot.h"

/* ---- arcs ---- */

/*
 * What leads from row to row: who released a strand that began elsewhere.
 *
 * An arc stands at the time at which the strand began: half an ellipse to the right, from the row
 * of who released it to the strand's, the wider the more rows it crosses, so that arcs of different
 * reach do not cover each other [Hemmen 2011, WoolPlot].
 */
struct arcs {
	struct picture *picture;
	FILE *csv; /* a row for each, as timelines_picture() has them; NULL: none */
	const struct summary *summary;
	const struct frame *frame; /* of the rows */
	const struct scale *x;
	const uint32_t *row; /* by worker */
	uint32_t n_rows;
	unsigned wanted; /* bits of enum arc_what */
};

#define WIDTH .6 /* of a line, in points */
#define REACH 3. /* to the right, in points for each row it crosses */
#define REACH_MOST 24.
#define STEPS 12u /* straight ones in a half ellipse */
#define PI 3.14159265358979323846

const char *const arc_name[ARCS] = {
	"steals", "leaps", "migrations", "creates", "joins", "depends"
};

/* The colour of those in the key. */
static uint32_t arcs_colour(enum arc_what what)
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

/* Of what begins in the selected time.  0, or -E2BIG and *err: more than ARCS_MOST. */
static int arcs_put(const struct arcs *arcs, struct err *err)
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

/* ---- rows ---- */

#define BIN .25 /* points: what lies in one is drawn as shares of its height */

/* The leading kinds, all others, and then states_drawn, of which the first is RUNTIME. */
enum class {
	OTHERS = BINS_LEADING,
	IN_STATES,
	IN_RUNTIME = IN_STATES,
	CLASSES = IN_STATES + STATES_DRAWN,
	IDLE = CLASSES
};

/* A stretch of a worker's time, in a bin or of whole bins. */
struct cell {
	uint64_t from_ns, to_ns; /* from == to: nothing yet */
	uint64_t ns[CLASSES];	 /* the rest is idle */
};

/* What a worker is in, since when. */
struct now {
	uint64_t since_ns;
	enum class class;
	strand_id strand; /* STRAND_NONE: it runs none */
};

struct timelines {
	struct picture *picture;
	FILE *csv;
	const struct summary *summary;
	const struct dag *dag;
	struct frame frame;
	struct scale x;
	kind_id leading[BINS_LEADING];
	char name[BINS_LEADING][256]; /* of these, with their place */
	uint8_t *class_of;	      /* by kind */
	uint32_t *row;		      /* by worker; those that ran nothing have none */
	uint32_t *worker;	      /* by row */
	uint32_t n_rows;
	uint64_t bin_ns;
	const struct select_span *span; /* of the selection, n_spans */
	uint32_t n_spans;
	uint64_t from_ns, to_ns; /* of them all */
	unsigned arcs;		 /* bits of enum arc_what */
	struct cell *cell;	 /* by row */
	struct now *now;	 /* by row */
};

/* ---- names and colours ---- */

static uint32_t colour_of(unsigned class)
{
	return class < BINS_LEADING ? colour_of_kind[class]
	       : class == OTHERS    ? COLOUR_OTHERS
				    : colour_of_state[states_drawn[class - IN_STATES]];
}

static const char *name_of(const struct timelines *all, unsigned class)
{
	return class < OTHERS	 ? all->name[class]
	       : class == OTHERS ? "other kinds"
				 : state_name[states_drawn[class - IN_STATES]];
}

static enum class of_state(enum state state) {
	unsigned class = IN_STATES;

	while (class < IDLE && states_drawn[class - IN_STATES] != state) class ++;
	return class;
}

/* ---- cells ---- */

static void put_cell(struct timelines *all, uint32_t row, const struct cell *cell)
{
	double height = all->frame.height / all->n_rows;
	double share = height * (height > 4 ? .85 : 1) / (double)(cell->to_ns - cell->from_ns);
	double from = axes_at_x(&all->frame, &all->x, (double)cell->from_ns);
	double to = axes_at_x(&all->frame, &all->x, (double)cell->to_ns);
	double y = all->frame.top + height * row + share * (double)(cell->to_ns - cell->from_ns);

	for (unsigned c = 0; c < CLASSES; c++) {
		if (cell->ns[c] == 0)
			continue;
		y -= share * (double)cell->ns[c];
		picture_rect(all->picture, colour_of(c), from, y, to - from,
			     share * (double)cell->ns[c]);
		if (!all->csv)
			continue;
		fprintf(all->csv, "%u,%" PRIu64 ",%" PRIu64 ",%s,", all->worker[row], cell->from_ns,
			cell->to_ns, c <= OTHERS ? "running" : name_of(all, c));
		put_quoted(all->csv, c <= OTHERS ? name_of(all, c) : "");
		fprintf(all->csv, ",%" PRIu64 ",\n", cell->ns[c]);
	}
}

static void flush(struct timelines *all, uint32_t row)
{
	struct cell *cell = &all->cell[row];

	if (cell->to_ns > cell->from_ns)
		put_cell(all, row, cell);
	*cell = (struct cell){ 0 };
}

/* Of `length` ns, `busy` are its class's, evenly; what is left is in the runtime. */
struct piece {
	uint64_t start_ns, length_ns, busy_ns;
	enum class class;
};

static uint64_t busy_until(const struct piece *piece, uint64_t ns)
{
	return (uint64_t)((unsigned __int128)piece->busy_ns * (ns - piece->start_ns) /
			  piece->length_ns);
}

static void add(struct cell *cell, const struct piece *piece, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t busy = busy_until(piece, to_ns) - busy_until(piece, from_ns);

	if (piece->class == IDLE)
		return;
	cell->ns[piece->class] += busy;
	cell->ns[IN_RUNTIME] += to_ns - from_ns - busy;
}

/* To the bin that it lies in. */
static void add_part(struct timelines *all, uint32_t row, const struct piece *piece,
		     uint64_t from_ns, uint64_t to_ns)
{
	uint64_t bin = from_ns / all->bin_ns * all->bin_ns, end = bin + all->bin_ns;
	struct cell *cell = &all->cell[row];

	bin = bin > all->from_ns ? bin : all->from_ns;
	if (cell->from_ns != bin || cell->to_ns == 0)
		flush(all, row);
	cell->from_ns = bin;
	cell->to_ns = end < all->to_ns ? end : all->to_ns;
	add(cell, piece, from_ns, to_ns);
}

/* Of a piece, what lies from `from` to `to`. */
static void add_within(struct timelines *all, uint32_t row, const struct piece *piece,
		       uint64_t from, uint64_t to)
{
	uint64_t bin = all->bin_ns;
	uint64_t first = (from + bin - 1) / bin * bin, last = to / bin * bin;

	if (from >= to)
		return;
	if (first >= last) { /* no whole bin */
		if (from < first && first < to) {
			add_part(all, row, piece, from, first);
			from = first;
		}
		add_part(all, row, piece, from, to);
		return;
	}
	if (from < first)
		add_part(all, row, piece, from, first);
	flush(all, row);
	struct cell whole = { .from_ns = first, .to_ns = last };

	add(&whole, piece, first, last);
	put_cell(all, row, &whole);
	if (last < to)
		add_part(all, row, piece, last, to);
}

/* What is selected of it. */
static void add_piece(struct timelines *all, uint32_t row, const struct piece *piece)
{
	uint64_t start = piece->start_ns, end = start + piece->length_ns;

	for (uint32_t i = 0; i < all->n_spans && all->span[i].from_ns < end; i++) {
		const struct select_span *span = &all->span[i];

		if (span->to_ns > start)
			add_within(all, row, piece, start > span->from_ns ? start : span->from_ns,
				   end < span->to_ns ? end : span->to_ns);
	}
}

/* ---- what workers do ---- */

/* What it was in is over. */
static void close_now(struct timelines *all, uint32_t row, uint64_t ns)
{
	const struct now *now = &all->now[row];
	struct piece piece = { now->since_ns, ns - now->since_ns, ns - now->since_ns, now->class };

	if (now->strand != STRAND_NONE)
		piece.busy_ns = dag_work(all->dag, now->strand);
	if (piece.busy_ns > piece.length_ns)
		piece.busy_ns = piece.length_ns;
	add_piece(all, row, &piece);
}

static void step(struct timelines *all, const struct sweep *sweep, enum sweep_what what)
{
	bool turns = what == SWEEP_TURN;
	uint32_t worker = turns ? sweep->worker : all->dag->strand[sweep->strand].worker;
	uint32_t row = all->row[worker];

	if (!turns && dag_is_node(all->dag, sweep->strand))
		return;
	if (turns && all->now[row].strand != STRAND_NONE)
		return;
	close_now(all, row, sweep->now_ns);
	if (what == SWEEP_START)
		all->now[row] = (struct now){ sweep->now_ns,
					      all->class_of[dag_kind(all->dag, sweep->strand)],
					      sweep->strand };
	else
		all->now[row] = (struct now){ sweep->now_ns,
					      of_state(workers_state(&sweep->workers, worker)),
					      STRAND_NONE };
}

static void sweep_all_of(struct timelines *all)
{
	struct sweep_scope scope = sweep_all(all->dag, &all->summary->pauses, NULL);
	struct ready_path path = { 0 };
	struct sweep sweep = { 0 };
	enum sweep_what what;
	ready_path_build(&path, all->dag, RUNTIMES_ALL);

	sweep_open(&sweep, all->dag, &path, &scope);

	while ((what = sweep_next(&sweep)) != SWEEP_OVER)
		if (what != SWEEP_TIME)
			step(all, &sweep, what);
	for (uint32_t row = 0; row < all->n_rows; row++) {
		close_now(all, row, all->dag->elapsed_ns);
		flush(all, row);
	}
	sweep_close(&sweep);
	ready_path_free(&path);
}

/* ---- around it ---- */

static void find_rows(struct timelines *all)
{
	const struct dag *dag = all->dag;

	all->row = xcalloc(dag->n_slots + 1ull, sizeof(*all->row));
	all->worker = xcalloc(dag->n_slots + 1ull, sizeof(*all->worker));
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (!dag_is_node(dag, s))
			all->row[dag->strand[s].worker] = 1;
	for (uint32_t w = 0; w < dag->n_slots; w++) {
		if (!all->row[w])
			continue;
		all->row[w] = all->n_rows;
		all->worker[all->n_rows++] = w;
	}
	all->cell = xcalloc(all->n_rows + 1ull, sizeof(*all->cell));
	all->now = xcalloc(all->n_rows + 1ull, sizeof(*all->now));
	for (uint32_t row = 0; row < all->n_rows; row++)
		all->now[row] = (struct now){ 0, IDLE, STRAND_NONE };
}

static void find_classes(struct timelines *all)
{
	bins_leading(all->summary, all->leading);
	all->class_of = xmalloc(all->dag->n_kinds + 1ull);
	for (kind_id k = 0; k < all->dag->n_kinds; k++)
		all->class_of[k] = OTHERS;
	for (uint8_t i = 0; i < BINS_LEADING; i++)
		if (all->leading[i] != KIND_NONE) {
			all->class_of[all->leading[i]] = i;
			place_text(all->name[i], sizeof(all->name[i]),
				   &all->summary->rows.code[all->leading[i]]);
		}
}

static void put_key(struct timelines *all)
{
	const struct breakdown *breakdown = &all->summary->breakdown;
	char name[CLASSES + 1][48];
	struct key key[CLASSES + 1 + ARCS];
	uint64_t others = breakdown->total.work_ns;
	uint32_t n = 0;

	for (unsigned c = 0; c < CLASSES; c++) {
		if (c < OTHERS && all->leading[c] == KIND_NONE)
			continue;
		if (c < OTHERS)
			others -= breakdown->kind[all->leading[c]].work_ns;
		if (c == OTHERS && others == 0)
			continue;
		if (c >= IN_STATES &&
		    !state_seen(breakdown->state, (int)states_drawn[c - IN_STATES]))
			continue;
		axes_shortened(name[n], sizeof(name[n]), name_of(all, c));
		key[n] = (struct key){ name[n], colour_of(c), false };
		n++;
	}
	key[n++] = (struct key){ "idle", colour_of_state[STATE_IDLE], false };
	for (int i = 0; i < ARCS; i++)
		if (all->arcs >> i & 1)
			key[n++] = (struct key){ arc_name[i], arcs_colour((enum arc_what)i), true };
	axes_key(all->picture, &all->frame, key, n);
}

/* The paper of a stretch of a row, on which the worker is idle. */
static void put_span(struct timelines *all, const struct select_span *span, double y, double height)
{
	double from = axes_at_x(&all->frame, &all->x, (double)span->from_ns);
	double to = axes_at_x(&all->frame, &all->x, (double)span->to_ns);

	picture_rect(all->picture, colour_of_state[STATE_IDLE], from, y, to - from, height);
}

static void put_rows(struct timelines *all)
{
	double height = all->frame.height / all->n_rows, size = all->picture->font_size;
	uint32_t step = axes_every(height, size * 1.1);
	char text[16];

	axes_x(all->picture, &all->frame, &all->x);
	for (uint32_t row = 0; row < all->n_rows; row++) {
		double y = all->frame.top + height * row;

		for (uint32_t i = 0; i < all->n_spans; i++)
			put_span(all, &all->span[i], y, height * (height > 4 ? .85 : 1));
		if (row % step)
			continue;
		snprintf(text, sizeof(text), "%u", all->worker[row]);
		picture_text(all->picture, COLOUR_INK,
			     (struct point){ all->frame.left - size * .4,
					     y + height * .43 + size * .35 },
			     ALIGN_RIGHT, text);
	}
	axes_title_y(all->picture, &all->frame, "worker");
}

static void lay_out(struct timelines *all, char title[AXES_TITLE])
{
	struct picture *picture = all->picture;
	double size = picture->font_size, left;

	picture_be_high(picture, fmin(size * (9 + 2 * all->n_rows), 200 * PICTURE_MM));
	all->frame = axes_frame(picture);
	put_key(all);
	axes_room_below(picture, &all->frame);
	left = draw_text_width(picture, "00000") + size * 1.8;
	all->frame.left += left;
	all->frame.width -= left;
	all->x = axes_time(picture, (double)all->from_ns, (double)all->to_ns, all->frame.width,
			   "time (%s)", title);
	all->bin_ns = (uint64_t)((double)(all->to_ns - all->from_ns) * BIN / all->frame.width) + 1;
	put_rows(all);
}

static struct arcs arcs_over(const struct timelines *all)
{
	return (struct arcs){ .picture = all->picture,
			      .csv = all->csv,
			      .summary = all->summary,
			      .frame = &all->frame,
			      .x = &all->x,
			      .row = all->row,
			      .n_rows = all->n_rows,
			      .wanted = all->arcs };
}

int timelines_picture(struct picture *picture, FILE *csv, const struct summary *summary,
		      unsigned arcs, struct err *err)
{
	struct select_span whole = { .to_ns = summary->dag->elapsed_ns };
	const struct select *select = run_selected(summary->run);
	bool part = select && select->n; /* of a run that took no time there is none */
	struct timelines all = { .picture = picture,
				 .csv = csv,
				 .summary = summary,
				 .dag = summary->dag,
				 .span = part ? select->span : &whole,
				 .n_spans = part ? select->n : 1,
				 .arcs = arcs };
	char title[AXES_TITLE];
	int error = 0;

	find_rows(&all);

	all.from_ns = all.span[0].from_ns;
	all.to_ns = all.span[all.n_spans - 1].to_ns;

	find_classes(&all);
	lay_out(&all, title);
	if (csv)
		fputs("worker,from_ns,to_ns,state,kind,ns,from_worker\n", csv);
	sweep_all_of(&all);
	if (arcs) {
		struct arcs over = arcs_over(&all);

		error = arcs_put(&over, err);
	}
	free(all.row);
	free(all.worker);
	free(all.cell);
	free(all.now);
	free(all.class_of);
	return error;
}
