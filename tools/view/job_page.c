/* SPDX-License-Identifier: MIT */
/* job_page.c - puts processes on one clock, and as many of their pages into one file as fit. */
#include "tools/view/job_page.h"

#include <stdlib.h>
#include <string.h>

#include "tools/analysis/job_waits.h"
#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"
#include "tools/summary/json_parts.h"
#include "tools/summary/report_tables.h"
#include "tools/view/bins.h"
#include "tools/view/meta.h"
#include "tools/view/page.h"
#include "tools/view/section.h"
#include "tools/view/source.h"
#include "tools/view/view.h"

/* ---- one process ---- */

uint32_t job_bins(const struct view_run *run, uint32_t n_processes)
{
	uint32_t n = BINS_USUAL;

	while (n > 64 && (uint64_t)n * run->n_rows * n_processes * BINS_STATES > BINS_CELLS)
		n /= 2;
	return n;
}

/* The runtime whose tasks the worker ran; the first one, if of several. */
static const char *runtime_name(const struct view_run *run, uint32_t worker)
{
	const struct dag *dag = run->dag;
	uint16_t bits = dag->worker_tasks[worker] ?: dag->worker_runtimes[worker];

	for (uint32_t r = 0; r < dag->n_runtimes && r < run->summary->defs->n_runtimes; r++)
		if (bits & 1u << r)
			return run->summary->defs->runtime[r].name;
	return NULL;
}

static void put_row_workers(struct json *to, const struct view_run *run)
{
	json_open(to, "rows", '[');
	for (uint32_t row = 0; row < run->n_rows; row++) {
		json_open(to, NULL, '{');
		json_number(to, "worker", run->worker[row]);
		json_text(to, "runtime", runtime_name(run, run->worker[row]));
		json_close(to, '}');
	}
	json_close(to, ']');
}

void job_put_about(FILE *out, const struct view_run *run, const struct view_wanted *wanted,
		   uint32_t n_bins)
{
	const struct summary *summary = run->summary;
	struct json to = { out, true };
	struct table phases;

	phase_table(&phases, summary);
	JSON_NUMBERS(&to, { "workers", run->dag->n_workers }, { "elapsed_ns", summary->elapsed_ns },
		     { "cumulative_ns", summary->cumulative_ns });
	json_put_charge(&to, &summary->breakdown.total);
	JSON_NUMBERS(&to, { "tasks", summary->n_tasks }, { "bins", n_bins },
		     { "shown_ns", bins_states_ns(run) });
	json_put_states(&to, summary->breakdown.state);
	table_put_json(&to, &phases);
	table_close(&phases);
	put_row_workers(&to, run);
	meta_put_lines(out, "notes", summary, wanted->put_notes);
	meta_put_lines(out, "fates", summary, wanted->put_fates);
}

/* ---- all of them ---- */

/* Since the first process on its clock began: hosts whose clocks cannot be compared have their own.
 */
static uint64_t begin_on_clock(const struct job_page *page, uint32_t number)
{
	const struct job_process *process = &page->process[number];
	uint64_t first_ns = process->begin_ns;

	for (uint32_t i = 0; i < page->n; i++)
		if (page->process[i].clock == process->clock)
			first_ns = at_most(first_ns, page->process[i].begin_ns);
	return process->begin_ns - first_ns;
}

static void put_process(struct json *to, const struct job_page *page, uint32_t i, bool has_page)
{
	const struct job_process *process = &page->process[i];

	json_open(to, NULL, '{');
	json_number(to, "rank", process->id.has_rank ? process->id.rank : JSON_UNKNOWN);
	json_number(to, "world", process->id.nth_world);
	json_text(to, "host", process->id.host);
	json_number(to, "pid", process->id.pid);
	json_text(to, "program", process->id.program);
	json_text(to, "ended", process->id.ended);
	json_text(to, "file", process->path);
	json_number(to, "begin", begin_on_clock(page, i));
	json_bool(to, "has_page", has_page);
	fputs(process->about, to->out);
	json_close(to, '}');
}

static void put_findings(struct json *to, const struct job_page *page)
{
	json_open(to, "findings", '[');
	for (uint32_t i = 0; i < page->n_found; i++) {
		const struct explanation *is = findings_explain(page->found[i].finding->id);

		json_open(to, NULL, '{');
		json_text(to, "title", is ? is->title : page->found[i].finding->id);
		json_text(to, "meaning", is ? is->meaning : "");
		json_bool(to, "of_machine", finding_is_of_machine(page->found[i].finding));
		json_close(to, '}');
	}
	json_close(to, ']');
}

/* Waiter, late rank, begin, end and release; in ns as "begin" of processes is. */
static void put_wait(struct json *to, const struct job_page *page, const struct long_wait *wait)
{
	uint32_t waiter = page->rank[wait->waiter].process, late = page->rank[wait->late].process;
	uint64_t first_ns = page->process[waiter].begin_ns - begin_on_clock(page, waiter);
	json_open(to, NULL, '[');
	json_number(to, NULL, waiter);
	json_number(to, NULL, late);
	json_number(to, NULL, wait->begin_ns - first_ns);
	json_number(to, NULL, wait->end_ns - first_ns);
	json_number(to, NULL, wait->released_ns - first_ns);
	json_close(to, ']');
}

static void put_waits(struct json *to, const struct job_page *page)
{
	json_open(to, "waits", '[');
	for (uint32_t i = 0; i < page->waits->longest.n; i++)
		put_wait(to, page, &page->waits->longest.wait[i]);
	json_close(to, ']');
}

static void put_job(FILE *out, const struct job_page *page, const bool *has_page)
{
	struct json to = { out, false };

	json_open(&to, NULL, '{');
	json_number(&to, "version", 1);
	json_key(&to, "total");
	page->put_total(out, page->context);
	put_findings(&to, page);
	json_key(&to, "sources");
	source_put_found(out, page->found, page->n_found, page->source);
	json_open(&to, "processes", '[');
	for (uint32_t i = 0; i < page->n; i++)
		put_process(&to, page, i, has_page[i]);
	json_close(&to, ']');
	put_waits(&to, page);
	json_close(&to, '}');
}

static void put_json(FILE *out, const struct job_page *page, const bool *has_page)
{
	FREED char *text = NULL;
	size_t n = 0;
	FILE *memory = xopen_memstream(&text, &n);

	put_job(memory, page, has_page);
	xclose_memstream(memory);
	fputs("<script type=\"application/json\" id=\"job\">", out);
	section_put_json(out, text, n);
	fputs("</script>\n", out);
}

/* Whose pages there is room for beside what the job's own page takes. */
static void choose_pages(const struct job_page *page, bool *has_page)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < page->n; i++)
		bytes += strlen(page->process[i].states) + strlen(page->process[i].about);
	for (uint32_t i = 0; i < page->n; i++) {
		const char *blocks = page->process[page->order[i]].blocks;
		uint64_t n = blocks ? strlen(blocks) : UINT64_MAX / 2;

		has_page[page->order[i]] = bytes + n <= JOB_PAGE_BYTES;
		bytes += has_page[page->order[i]] ? n : 0;
	}
}

/* Of the i-th process; 0 is the job itself. */
static void put_blocks(FILE *out, const struct job_process *process, uint32_t i, bool has_page)
{
	fprintf(out, "<div hidden id=\"side-%u\">\n", i + 1);
	fputs(process->states, out);
	if (has_page)
		fputs(process->blocks, out);
	fputs("</div>\n", out);
}

void job_put(FILE *out, const struct job_page *page)
{
	FREED bool *has_page = xcalloc(page->n + 1ull, sizeof(*has_page));

	choose_pages(page, has_page);
	page_put_head(out, false);
	put_json(out, page, has_page);
	page_put_script(out, PAGE_OF_JOB);
	for (uint32_t i = 0; i < page->n; i++)
		put_blocks(out, &page->process[i], i, has_page[i]);
	page_put_tail(out);
}
