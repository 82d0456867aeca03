/* SPDX-License-Identifier: MIT */
/* timelines.c - a row for each worker: the strands that it ran, by kind, and what it was in
 * between. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tools/analysis/sweep.h"
#include "tools/base/xalloc.h"
#include "tools/plot/arcs.h"
#include "tools/plot/axes.h"
#include "tools/plot/colours.h"
#include "tools/plot/draw.h"
#include "tools/plot/pictures.h"
#include "tools/table/put.h"
#include "tools/view/bins.h"

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
