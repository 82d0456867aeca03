/* SPDX-License-Identifier: MIT */
/* screen_strip.c - a picture of what workers were in as time goes by. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "tools/base/units.h"
#include "tools/table/fit.h"
#include "tools/report/screen_parts.h"

#define ROWS_MOST 6u
#define MARGIN 13 /* before a row's first cell, and for the bar behind its last */
#define CELLS_MOST COURSE_CELLS
#define NUMBERS_MOST 9u /* findings in the row, each of one digit */

static const struct {
	enum state state;
	char mark;
	char hue; /* of a terminal's eight */
	const char *name;
} layer[] = {
	/* from the bottom up */
	{ STATE_RUNNING, '#', '2', "busy" },
	{ STATE_BLOCKED, '=', '1', "blocked" },
	{ STATE_MESSAGE, 'm', '4', "in MPI" },
	{ STATE_DEVICE, 'd', '6', "waiting for a device" },
	{ STATE_RUNTIME, '+', '3', "in the runtime" },
	{ STATE_TRACER, 'T', '5', "held by tptrace" },
};
#define LAYERS (sizeof(layer) / sizeof(layer[0]))

/* Columns of the picture: means over the cells of the course that they stand for. */
struct strip {
	struct course_cell cell[CELLS_MOST];
	uint32_t n_cells;
	bool has[LAYERS];
	bool coloured;
};

static void add_cell(struct course_cell *to, const struct course_cell *cell)
{
	to->ns += cell->ns;
	to->ready += cell->ready;
	for (int i = 0; i < STATES; i++)
		to->n_in[i] += cell->n_in[i];
}

static void fill(struct strip *strip, const struct course *course)
{
	for (uint32_t i = 0; i < COURSE_CELLS; i++)
		add_cell(&strip->cell[i * strip->n_cells / COURSE_CELLS], &course->cell[i]);
	for (uint32_t i = 0; i < strip->n_cells; i++) {
		struct course_cell *cell = &strip->cell[i];

		for (int s = 0; s < STATES && cell->ns > 0; s++)
			cell->n_in[s] /= cell->ns;
		if (cell->ns > 0)
			cell->ready /= cell->ns;
	}
}

/* What reaches that many workers, counted from the bottom; LAYERS: nothing does. */
static size_t layer_at(struct strip *strip, const struct course_cell *cell, double height)
{
	double sum = 0;

	for (size_t i = 0; i < LAYERS; i++) {
		sum += cell->n_in[layer[i].state];
		if (sum > height) {
			strip->has[i] = true;
			return i;
		}
	}
	return LAYERS;
}

/* What follows is of that layer's hue; LAYERS: of none. */
static void put_hue(FILE *out, const struct strip *strip, size_t of)
{
	if (strip->coloured && of < LAYERS)
		fprintf(out, "\033[3%cm", layer[of].hue);
	else if (strip->coloured)
		fputs("\033[39m", out);
}

static void put_strip_line(FILE *out, struct strip *strip, const char *name, double number,
			   double height)
{
	size_t before = LAYERS;

	fprintf(out, "%-7s %3.0f |", name, number);
	for (uint32_t i = 0; i < strip->n_cells; i++) {
		size_t at = layer_at(strip, &strip->cell[i], height);

		if (at != before)
			put_hue(out, strip, at);
		fputc(at < LAYERS ? layer[at].mark : ' ', out);
		before = at;
	}
	if (before < LAYERS)
		put_hue(out, strip, LAYERS);
	fputs("|\n", out);
}

/* How many strands are ready: a digit, `+` for ten and more. */
static void put_ready(FILE *out, const struct strip *strip)
{
	fputs("ready       |", out);
	for (uint32_t i = 0; i < strip->n_cells; i++) {
		double ready = strip->cell[i].ready;

		fputc(ready < .05    ? ' '
		      : ready < .5   ? '.'
		      : ready >= 9.5 ? '+'
				     : (char)('0' + lround(ready)),
		      out);
	}
	fputs("|\n", out);
}

/* When the finding lost its time. */
static struct when when_of(const struct finding *finding, const struct course *course)
{
	struct when when = finding->when;

	if (!when_is_any(&when))
		when_add(&when, course->from_ns, course->to_ns, finding->from_ns, finding->to_ns);
	return when;
}

/* Which columns the finding has: n, and its number in turn with those of others. */
struct column {
	uint32_t n;
	char number[NUMBERS_MOST];
};

static void add_number(struct column *column, char number)
{
	if (!column->n || column->number[column->n - 1] != number)
		column->number[column->n++] = number;
}

/* When the findings lost their time, by number; where several did, in turns. */
static void put_numbers(FILE *out, const struct strip *strip, const struct summary *summary,
			uint32_t n_shown)
{
	const struct course *course = &summary->breakdown.course;
	struct column column[CELLS_MOST] = { 0 };
	bool any = false;

	for (uint32_t i = 0; i < n_shown && i < NUMBERS_MOST; i++) {
		struct when when = when_of(&summary->findings.finding[i], course);

		any |= when_is_any(&when);
		for (uint32_t at = 0; at < COURSE_CELLS; at++)
			if (when_has(&when, at))
				add_number(&column[at * strip->n_cells / COURSE_CELLS],
					   (char)('1' + i));
	}
	if (!any)
		return;
	fputs("findings    |", out);
	for (uint32_t i = 0; i < strip->n_cells; i++)
		fputc(column[i].n ? column[i].number[i % column[i].n] : ' ', out);
	fputs("|\n", out);
}

/* The layers that are there, that far apart. */
static void put_layers(FILE *out, const struct strip *strip, int blanks)
{
	for (size_t i = 0; i < LAYERS; i++) {
		if (!strip->has[i])
			continue;
		put_hue(out, strip, i);
		fputc(layer[i].mark, out);
		put_hue(out, strip, LAYERS);
		fprintf(out, " %s%*s", layer[i].name, blanks, "");
	}
	fputs("blank: starved", out);
}

/* Closer to each other where they would not fit; without colours where they take two lines. */
static void put_legend(FILE *out, const struct strip *strip)
{
	struct strip plain = *strip;
	char text[200] = "";
	int blanks = 4, n = INT_MAX;

	plain.coloured = false;
	while (n > (int)strip->n_cells + 1 && --blanks > 0) {
		FILE *into = fmemopen(text, sizeof(text), "w");

		if (!into)
			return;
		put_layers(into, &plain, blanks);
		fclose(into);
		n = (int)strlen(text);
	}
	fprintf(out, "%*s", MARGIN, "");
	if (blanks == 0) {
		fit_words(out, text, MARGIN, MARGIN, MARGIN + (int)strip->n_cells + 1);
		return;
	}
	put_layers(out, strip, blanks);
	fputc('\n', out);
}

void screen_put_strip(FILE *out, const struct summary *summary, const struct look *look)
{
	const struct course *course = &summary->breakdown.course;
	uint32_t p = summary->dag->n_workers, n_rows = p < ROWS_MOST ? p : ROWS_MOST;
	struct strip strip = { .n_cells = look->width - MARGIN - 1, .coloured = look->bold };
	char text[2][UNITS_TIME];
	int n;

	if (course->to_ns <= course->from_ns || !p)
		return;
	if (strip.n_cells > CELLS_MOST)
		strip.n_cells = CELLS_MOST;
	fill(&strip, course);
	fputc('\n', out);
	for (uint32_t i = n_rows; i > 0; i--) {
		double top = (double)p * i / n_rows, below = (double)p * (i - 1) / n_rows;

		put_strip_line(out, &strip, i == n_rows ? "workers" : "", top, (top + below) / 2);
	}
	put_ready(out, &strip);
	put_numbers(out, &strip, summary, screen_findings_shown(summary, look));
	n = fprintf(out, "%*s%s", MARGIN, "", units_time(text[0], course->from_ns));
	fprintf(out, "%*s\n", MARGIN + (int)strip.n_cells - n, units_time(text[1], course->to_ns));
	put_legend(out, &strip);
}
