/* SPDX-License-Identifier: MIT */
/* built.h - a dag that a test builds of a trace as text; one at a time. */
#pragma once

#include "test/lib/test.h"
#include "test/unit/trace.h"
#include "tools/dag/dag.h"

static struct dag dag;
static struct reader *reader;

/* The teardown of a test. */
static inline int built_end(void **state)
{
	(void)state;
	dag_free(&dag);
	reader_close(reader);
	reader = NULL;
	return 0;
}

/* Instead of the one that is there. */
static inline void build(const char *text)
{
	struct err err;

	built_end(NULL);
	assert_int_equal(trace_open(&reader, text, strlen(text), &err), 0);
	if (dag_build(&dag, reader, &err) < 0)
		fail_msg("%s", err.text);
}

/* No dag is built of that, and this is why. */
static inline void refuse(const char *text, const char *why)
{
	struct err err = { 0 };

	assert_int_equal(trace_open(&reader, text, strlen(text), &err), 0);
	assert_true(dag_build(&dag, reader, &err) < 0);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
	built_end(NULL);
}

#define BUILT_TEST(test) TEST_WITH(test, NULL, built_end)
