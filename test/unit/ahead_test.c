/* SPDX-License-Identifier: MIT */
/* ahead_test.c - what creates a task knows its kind, however many kinds there are. */
#include "tools/analysis/findings/ahead.h"

#include "test/lib/test.h"
#include "test/unit/check.h"
#include "test/unit/trace.h"

/* A task that creates one of each of n kinds, and runs them. */
static char *trace_of(uint32_t n, size_t *n_bytes)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, n_bytes);

	fprintf(out, "tptrace text 2\nclock ns\nruntime 0 name=libgomp version=x workers=1\n");
	for (uint32_t k = 1; k <= n; k++)
		fprintf(out, "site %u runtime=0 name=t%u file=x.c line=%u\n", k, k, k);
	fprintf(out, "0 w0 root 0.1\n");
	for (uint32_t k = 1; k <= n; k++)
		fprintf(out, "%u w0 create 0.%u site=%u\n%u w0 resume 0.1\n", 2 * k, k + 1, k,
			2 * k);
	fprintf(out, "%u w0 wait children site=1\n", 2 * n + 1);
	for (uint32_t k = 1; k <= n; k++)
		fprintf(out, "%u w0 begin 0.%u\n%u w0 end\n", 2 * (n + k), k + 1, 2 * (n + k) + 1);
	fprintf(out, "%u w0 resume 0.1\n%u w0 end\n", 4 * n + 2, 4 * n + 3);
	fclose(out);
	return text;
}

static void check_kinds(uint32_t n)
{
	size_t n_bytes;
	char *text = trace_of(n, &n_bytes);
	struct ahead ahead;
	struct rounds rounds;
	struct reader *reader;
	struct dag dag;
	struct err err;
	uint32_t n_creators = 0;

	check(trace_open(&reader, text, n_bytes, &err) == 0);
	check(dag_build(&dag, reader, &err) == 0);
	ahead_build(&ahead, &rounds, &dag);
	check(dag.n_kinds == n + 1);
	for (strand_id s = 0; s < dag.n_strands; s++) {
		if (!ahead_ends_to_create(&dag, s))
			continue;
		check(ahead_creates(&ahead, &dag, s) == ++n_creators);
		check(ahead_flags(&ahead, &dag, s) == 0);
	}
	check(n_creators == n && few_of(&ahead.created, 0) == n);
	ahead_free(&ahead);
	rounds_free(&rounds);
	dag_free(&dag);
	reader_close(reader);
	free(text);
}

TEST(test_kinds)
{
	check_kinds(3);
	check_kinds(255);
	check_kinds(256);
	check_kinds(700);
}
