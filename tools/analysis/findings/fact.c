/* SPDX-License-Identifier: MIT */
/* fact.c - keeps facts, and fills templates in with them. */
#include "tools/analysis/findings/fact.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "tools/analysis/findings/sentence.h"
#include "tools/base/units.h"

void facts_add(struct finding *finding, const struct fact *facts)
{
	for (; facts->unit != FACT_NONE; facts++) {
		assert(finding->n_facts < FACTS_MOST);
		finding->fact[finding->n_facts++] = *facts;
	}
}

const struct fact *fact_of(const struct finding *finding, const char *id)
{
	for (uint32_t i = 0; i < finding->n_facts; i++)
		if (strcmp(finding->fact[i].id, id) == 0)
			return &finding->fact[i];
	return NULL;
}

uint64_t fact_n(const struct finding *finding, const char *id)
{
	const struct fact *fact = fact_of(finding, id);

	return fact ? fact->n : 0;
}

const char *fact_unit_name(const struct fact *fact)
{
	static const char *const names[] = {
		[FACT_NS] = "ns",      [FACT_COUNT] = "count", [FACT_REAL] = "count",
		[FACT_RANK] = "count", [FACT_SHARE] = "share", [FACT_KIND] = "text",
		[FACT_LOCK] = "text",  [FACT_TEXT] = "text",
	};

	return names[fact->unit];
}

/* With so many decimals; -1: as usual. */
static char *put_fact(const struct fact *fact, const struct finding_names *names, int decimals,
		      char *out, size_t room)
{
	switch (fact->unit) {
	case FACT_NS:
		snprintf(out, room, "%s", TIME_TEXT(fact->n));
		break;
	case FACT_RANK:
		snprintf(out, room, "%s",
			 units_rank((char[UNITS_RANK]){ 0 }, fact->rank.n, fact->rank.nth_world));
		break;
	case FACT_REAL:
		snprintf(out, room, "%.*f", decimals < 0 ? 1 : decimals, fact->real);
		break;
	case FACT_SHARE:
		snprintf(out, room, "%.*f %%", decimals < 0 ? 0 : decimals, 100 * fact->real);
		break;
	case FACT_KIND:
		return names->kind(names->context, (kind_id)fact->n, out, room);
	case FACT_LOCK:
		return names->lock(names->context, fact->lock, out, room);
	case FACT_TEXT:
		snprintf(out, room, "%s", fact->text);
		break;
	default:
		snprintf(out, room, "%llu", (unsigned long long)fact->n);
	}
	return out;
}

char *fact_text(const struct fact *fact, const struct finding_names *names, char *out, size_t room)
{
	return put_fact(fact, names, -1, out, room);
}

/* The fact, or the finding's own figure of that id. */
static struct fact named(const struct finding *finding, const char *id)
{
	const struct fact *fact = fact_of(finding, id);

	if (fact)
		return *fact;
	if (strcmp(id, "lost_ns") == 0)
		return fact_ns(id, finding->lost_ns);
	assert(strcmp(id, "elapsed_ns") == 0);
	return fact_ns(id, finding->elapsed_ns);
}

const char *setting_of(const char *runtime)
{
	static const struct {
		const char *runtime, *setting;
	} of[] = {
		{ "libgomp", "OMP_NUM_THREADS" },
		{ "libomp", "OMP_NUM_THREADS" },
		{ "oneTBB", "global_control::max_allowed_parallelism" },
		{ "StarPU", "STARPU_NCPU" },
		{ "Qthreads", "QTHREAD_NUM_SHEPHERDS" },
		{ "MassiveThreads", "MYTH_NUM_WORKERS" },
		{ "libcilkrts", "CILK_NWORKERS" },
		{ "OpenCilk", "CILK_NWORKERS" },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (strcmp(of[i].runtime, runtime) == 0)
			return of[i].setting;
	return "OMP_NUM_THREADS, max_allowed_parallelism, ..";
}

static void put(struct sentence *sentence, const char *text, size_t n)
{
	n = n < sentence->room ? n : sentence->room - 1;
	memcpy(sentence->at, text, n);
	sentence->at += n;
	sentence->room -= n;
	*sentence->at = 0;
}

/* What is between braces: an id, and maybe a colon and how it is put. */
static void put_named(struct sentence *sentence, const char *from, size_t n)
{
	char id[40], text[160], times[UNITS_TIMES], *how;
	struct fact fact;

	snprintf(id, sizeof(id), "%.*s", (int)n, from);
	if (strcmp(id, "setting") == 0) {
		const struct finding_names *names = sentence->names;
		kind_id kind = sentence->finding->kind;
		const char *setting = setting_of(names->runtime(names->context, kind));

		put(sentence, setting, strlen(setting));
		return;
	}
	how = strchr(id, ':');
	if (how)
		*how++ = 0;
	fact = named(sentence->finding, id);
	if (!how)
		fact_text(&fact, sentence->names, text, sizeof(text));
	else if (strcmp(how, "times") == 0)
		snprintf(text, sizeof(text), "%s", units_times(times, fact.n));
	else if (strcmp(how, "s") == 0)
		snprintf(text, sizeof(text), "%s", units_s(fact.n));
	else
		put_fact(&fact, sentence->names, *how - '0', text, sizeof(text));
	put(sentence, text, strlen(text));
}

void say(struct sentence *sentence, const char *template)
{
	for (;;) {
		size_t n = strcspn(template, "{"), of;

		put(sentence, template, n);
		if (!template[n])
			return;
		template += n + 1;
		of = strcspn(template, "}");
		put_named(sentence, template, of);
		template += of + 1;
	}
}
