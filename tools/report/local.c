/* SPDX-License-Identifier: MIT */
/* local.c - findings that need nothing of where they were found. */
#include "tools/report/local.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/units.h"
#include "tools/base/xalloc.h"

/* ---- of one process ---- */

static const char *own_text(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void own_fact(struct fact *fact, const struct finding_names *names)
{
	char text[FINDING_TEXT];

	fact->id = own_text(fact->id);
	if (fact->unit < FACT_KIND)
		return;
	fact_text(fact, names, text, sizeof(text));
	fact->unit = FACT_TEXT;
	fact->text = own_text(text);
}

static void own(struct local_finding *local)
{
	struct finding *finding = &local->finding;
	struct place *place = &local->found.place;

	for (uint32_t i = 0; i < finding->n_facts; i++)
		own_fact(&finding->fact[i], &local->found.names);
	finding->lock = NULL;
	local->found.names = (struct finding_names){ 0 };
	place->name = own_text(place->name);
	place->file = own_text(place->file);
	place->module = own_text(place->module);
}

void local_one(struct local *one, const struct summary *summary)
{
	const struct findings *findings = &summary->findings;

	*one = (struct local){ .n = findings->n };
	one->finding = xcalloc(findings->n + 1ull, sizeof(*one->finding));
	for (uint32_t i = 0; i < one->n; i++) {
		struct local_finding *local = &one->finding[i];

		found_say(&local->found, summary, &findings->finding[i]);
		local->finding = findings->finding[i];
		local->n_processes = 1;
		local->most_ns = local->finding.lost_ns;
		own(local);
	}
}

static void free_texts(struct local_finding *local)
{
	for (uint32_t i = 0; i < local->finding.n_facts; i++) {
		const struct fact *fact = &local->finding.fact[i];

		free((char *)fact->id);
		if (fact->unit == FACT_TEXT)
			free((char *)fact->text);
	}
	free((char *)local->found.place.name);
	free((char *)local->found.place.file);
	free((char *)local->found.place.module);
}

void local_free(struct local *local)
{
	for (uint32_t i = 0; i < local->n; i++)
		free_texts(&local->finding[i]);
	free(local->finding);
	*local = (struct local){ 0 };
}

/* ---- of several ---- */

static bool is_one(const struct local_finding *a, const struct local_finding *b)
{
	return strcmp(a->finding.id, b->finding.id) == 0 &&
	       (finding_is_of_machine(&a->finding) ||
		place_compare(&a->found.place, &b->found.place) == 0);
}

/* The larger one's words, and the times of both. */
static void add_up(struct local_finding *to, struct local_finding *more)
{
	struct finding sum = to->finding;
	uint32_t n_processes = to->n_processes + more->n_processes;

	sum.lost_ns += more->finding.lost_ns;
	sum.path_ns += more->finding.path_ns;
	sum.in_work_ns += more->finding.in_work_ns;
	sum.elapsed_ns = at_least(sum.elapsed_ns, more->finding.elapsed_ns);
	sum.gain_ns = at_least(sum.gain_ns, more->finding.gain_ns);
	sum.is_behind &= more->finding.is_behind;
	if (more->most_ns > to->most_ns) {
		struct local_finding less = *to;

		*to = *more;
		*more = less;
	}
	free_texts(more);
	to->n_processes = n_processes;
	to->finding.lost_ns = sum.lost_ns;
	to->finding.path_ns = sum.path_ns;
	to->finding.in_work_ns = sum.in_work_ns;
	to->finding.elapsed_ns = sum.elapsed_ns;
	to->finding.gain_ns = sum.gain_ns;
	to->finding.is_behind = sum.is_behind;
}

void local_add(struct local *all, struct local *one, uint32_t process)
{
	for (uint32_t i = 0; i < one->n; i++) {
		struct local_finding *more = &one->finding[i];
		uint32_t k = 0;

		more->most = process;
		while (k < all->n && !is_one(&all->finding[k], more))
			k++;
		if (k < all->n)
			add_up(&all->finding[k], more);
		else
			ARRAY_ADD(all->finding, all->n, all->room, *more);
	}
	free(one->finding);
	*one = (struct local){ 0 };
}

/* ---- in words ---- */

static void note_most(struct finding *finding, const struct local_finding *local,
		      const struct identity *most)
{
	if (finding->n_facts + 3 > FACTS_MOST)
		return;
	FACTS(finding, fact_count(own_text("processes"), local->n_processes),
	      fact_ns(own_text("most"), local->most_ns));
	if (most->has_rank && !fact_of(finding, "rank"))
		FACTS(finding, fact_rank(own_text("rank"), most));
}

struct found local_say(struct local_finding *local, const struct identity *most, uint32_t n)
{
	struct found found = local->found;
	const char *what = most->has_rank ? "rank" : "process";
	char who[RANK_NAME];
	size_t at;

	found.finding = &local->finding;
	note_most(&local->finding, local, most);
	identity_who(who, most);
	if (local->n_processes == 1)
		snprintf(found.what, sizeof(found.what), "on %s alone:\n", who);
	else
		snprintf(found.what, sizeof(found.what), "on %u of %u %s%s; most on %s, %s:\n",
			 local->n_processes, n, what, most->has_rank ? "s" : "es", who,
			 TIME_TEXT(local->most_ns));
	at = strlen(found.what);
	snprintf(found.what + at, sizeof(found.what) - at, "%s", local->found.what);
	return found;
}

/* ---- as bytes ---- */

/* That of the causes' table. */
static void pass_id(struct bytes *bytes, struct finding *finding)
{
	FREED char *id = bytes->out ? xstrdup(finding->id) : NULL;

	bytes_pass_text(bytes, &id);
	if (bytes->out)
		return;
	if (!id || !findings_explain(id))
		bytes_wrong();
	finding->id = findings_explain(id)->id;
}

static void pass_texts(struct local_finding *local, struct bytes *bytes)
{
	struct place *place = &local->found.place;

	pass_id(bytes, &local->finding);
	for (uint32_t i = 0; i < local->finding.n_facts; i++) {
		struct fact *fact = &local->finding.fact[i];

		bytes_pass_text(bytes, (char **)&fact->id);
		if (fact->unit == FACT_TEXT)
			bytes_pass_text(bytes, (char **)&fact->text);
	}
	bytes_pass_text(bytes, (char **)&place->name);
	bytes_pass_text(bytes, (char **)&place->file);
	bytes_pass_text(bytes, (char **)&place->module);
}

void local_pass(struct local *local, struct bytes *bytes)
{
	bytes_pass_array(bytes, &local->finding, &local->n, sizeof(*local->finding));
	for (uint32_t i = 0; i < local->n; i++)
		pass_texts(&local->finding[i], bytes);
}
