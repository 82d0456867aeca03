/* SPDX-License-Identifier: MIT */
/* meta.c - names, as JSON. */
#include "tools/view/meta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/table/put.h"
#include "tools/summary/rows.h"
#include "tools/summary/verdict.h"
#include "tools/view/bins.h"
#include "tools/view/devices.h"
#include "tools/view/view.h"

static void put_place(FILE *out, const struct place *place)
{
	fputs("\"name\":", out);
	put_string(out, place->name);
	fputs(",\"file\":", out);
	put_string(out, place->file);
	fprintf(out, ",\"line\":%u,\"last_line\":%u,\"module\":", place->line, place->last_line);
	put_string(out, place->module);
}

/* A site that the trace says nothing of is none. */
static int64_t site_or_none(const struct view_run *run, site_id site)
{
	return site < run->summary->run->sites.n ? (int64_t)site : -1;
}

static void put_kinds(FILE *out, const struct view_run *run)
{
	const struct rows *rows = &run->summary->rows;
	const struct dag *dag = run->dag;

	fputs(",\"kinds\":[", out);
	for (kind_id k = 0; k < dag->n_kinds; k++) {
		fputs(k ? ",{" : "{", out);
		put_place(out, &rows->code[k]);
		fprintf(out, ",\"what\":\"%s\",\"site\":%" PRId64 "}",
			kind_what_name[dag->kind_what[k]], site_or_none(run, dag->kind_site[k]));
	}
	fputs("],\"kind_of_row\":[", out);
	for (uint32_t r = 0; r < rows->n; r++)
		fprintf(out, "%s%u", r ? "," : "", rows->row[r].kind);
	fputs("]", out);
}

static void put_sites(FILE *out, const struct view_run *run)
{
	const struct run *of = run->summary->run;

	fputs(",\"sites\":[", out);
	for (site_id i = 0; i < of->sites.n; i++) {
		struct place place = rows_site(of, i);

		if (!place.name)
			place.name = i == SITE_UNKNOWN ? "(not known)" : "?";
		fputs(i ? ",{" : "{", out);
		put_place(out, &place);
		fputs("}", out);
	}
	fputs("],\"waits\":[", out);
	for (uint32_t i = 0; i < run->dag->n_waits; i++)
		fprintf(out, "%s{\"site\":%" PRId64 ",\"what\":%u}", i ? "," : "",
			site_or_none(run, run->dag->wait[i].site), run->dag->wait[i].what);
	fputs("]", out);
}

/* Where to look: times and places of the report's findings, in their order. */
static void put_findings(FILE *out, const struct view_run *run)
{
	const struct findings *findings = &run->summary->findings;

	fputs(",\"findings\":[", out);
	for (uint32_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];
		const struct explanation *is = findings_explain(finding->id);

		fprintf(out, "%s{\"title\":", i ? "," : "");
		put_string(out, is ? is->title : finding->id);
		fputs(",\"meaning\":", out);
		put_string(out, is ? is->meaning : "");
		fprintf(out,
			",\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"kind\":%u,\"site\":%" PRId64
			",\"n_workers\":%u,\"worker\":%u,\"of_machine\":%s}",
			finding->from_ns, finding->to_ns, finding->kind,
			site_or_none(run, finding->site), finding->n_workers, finding->worker,
			finding_is_of_machine(finding) ? "true" : "false");
	}
	fputs("]", out);
}

static void put_verdict(FILE *out, const struct summary *summary)
{
	char text[VERDICT_TEXT];

	verdict_say(text, summary, summary->findings.n);
	fputs(",\"verdict\":", out);
	put_string(out, text);
}

void meta_put_lines(FILE *out, const char *key, const struct summary *summary,
		    void (*put)(FILE *out, const struct summary *summary))
{
	char *text = NULL, *rest;
	size_t n;
	FILE *lines = xopen_memstream(&text, &n);
	const char *comma = "";

	put(lines, summary);
	xclose_memstream(lines);
	fprintf(out, ",\"%s\":[", key);
	rest = text;
	for (const char *line; (line = strsep(&rest, "\n")) && rest; comma = ",") {
		fputs(comma, out);
		put_string(out, line);
	}
	fputs("]", out);
	free(text);
}

/* Those that some strand counted; `number` names their column. */
static void put_counters(FILE *out, const struct view_run *run)
{
	const struct defs *defs = run->summary->defs;
	const char *comma = "";

	fputs(",\"counters\":[", out);
	for (uint32_t c = 0; c < run->dag->n_counters && c < defs->n_counters; c++) {
		if (!run->dag->count[c])
			continue;
		fprintf(out, "%s{\"number\":%u,\"name\":", comma, c);
		put_string(out, defs->counter[c].name);
		fputs(",\"unit\":", out);
		put_string(out, defs->counter[c].unit);
		fputs("}", out);
		comma = ",";
	}
	fputs("]", out);
}

void meta_put(FILE *out, const struct view_run *run, const struct view_wanted *wanted)
{
	const struct dag *dag = run->dag;
	kind_id leading[BINS_LEADING];

	fprintf(out,
		"{\"version\":1,\"elapsed\":%" PRIu64
		",\"n_workers\":%u,\"strands\":%u,\"kept\":%u,\"all_tasks\":%u,\"tasks\":%u,"
		"\"bins\":%u,\"partial\":%s,\"served\":%s",
		dag->elapsed_ns, dag->n_workers, dag->n_strands, run->keep.n, dag->n_tasks,
		run->keep.n_tasks, drawn_bins(run->dag), run->keep.number ? "true" : "false",
		run->is_served ? "true" : "false");
	put_verdict(out, run->summary);
	fputs(",\"rows\":[", out);
	for (uint32_t r = 0; r < run->n_rows; r++)
		fprintf(out, "%s%u", r ? "," : "", run->worker[r]);
	fputs("],\"leading\":[", out);
	bins_leading(run->summary, leading);
	for (uint32_t i = 0; i < BINS_LEADING && leading[i] != KIND_NONE; i++)
		fprintf(out, "%s%u", i ? "," : "", leading[i]);
	fputs("]", out);
	put_kinds(out, run);
	put_sites(out, run);
	put_findings(out, run);
	put_counters(out, run);
	operations_put_sites(out, run);
	meta_put_lines(out, "facts", run->summary, wanted->put_facts);
	meta_put_lines(out, "notes", run->summary, wanted->put_notes);
	meta_put_lines(out, "fates", run->summary, wanted->put_fates);
	fputs("}", out);
}
