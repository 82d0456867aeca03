/* SPDX-License-Identifier: MIT */
/* kind_test.c - kinds and the sites that create them are two numbers. */
#include "test/unit/built.h"

/* A kind for the roots and one for each site that creates tasks, whatever number it has. */
BUILT_TEST(test_sparse_sites)
{
	build("tptrace text 2\n0 w0 root 0.1\n"
	      "1 w0 create 0.2 site=700\n1 w0 resume 0.1\n"
	      "2 w0 create 0.3 site=9\n2 w0 resume 0.1\n"
	      "3 w0 create 0.4 site=700\n3 w0 resume 0.1\n4 w0 end\n");
	assert_int_equal(dag.n_kinds, 3);
	assert_int_equal(dag.kind_site[KIND_OF_ROOTS], SITE_NONE);
	assert_int_equal(dag.kind_what[KIND_OF_ROOTS], KIND_ROOT);
	assert_int_equal(dag.task_kind[0], KIND_OF_ROOTS);
	/* in the order of sites, not in that in which they came up */
	assert_int_equal(dag.kind_site[1], 9);
	assert_int_equal(dag.kind_site[2], 700);
	assert_int_equal(dag.task_kind[1], 2);
	assert_int_equal(dag.task_kind[2], 1);
	assert_int_equal(dag.task_kind[3], 2);
}

/* What a kind's tasks are, and whose runtime, goes along when kinds are brought in order. */
BUILT_TEST(test_facts_follow)
{
	build("tptrace text 2\nruntime 0 name=a workers=1\nruntime 1 name=b workers=1\n"
	      "site 5 runtime=1\nsite 6 runtime=0\n0 w0 root 0.1\n"
	      "1 w0 fork 0.2 site=6 team\n1 w0 member 0.3 of 0.2\n2 w0 end\n2 w0 resume 0.1\n"
	      "3 w0 create 0.4 site=5\n3 w0 resume 0.1\n4 w0 end\n");
	assert_int_equal(dag.n_kinds, 3);
	assert_int_equal(dag.kind_site[1], 5);
	assert_int_equal(dag.kind_what[1], KIND_TASK);
	assert_int_equal(dag.kind_runtimes[1], 1 << 1);
	assert_int_equal(dag.kind_what[2], KIND_IMPLICIT);
	assert_int_equal(dag.kind_runtimes[2], 1 << 0);
	assert_int_equal(dag.kind_runtimes[KIND_OF_ROOTS], 0);
}

/* Tasks of which nobody saw how they were made are of the unknown site; the main task is a root. */
BUILT_TEST(test_found)
{
	build("tptrace text 2\n- w0 lost 5\n- w0 next-id 8\n1 w0 resume 0.1\n2 w0 create 0.9 "
	      "site=3\n"
	      "- w1 lost 2\n2 w1 begin 0.4\n3 w1 end\n3 w0 resume 0.1\n4 w0 end\n");
	assert_int_equal(dag.n_found, 1);
	assert_int_equal(dag.n_kinds, 3);
	assert_int_equal(dag.kind_site[1], SITE_UNKNOWN);
	assert_int_equal(dag.kind_site[2], 3);
	assert_int_equal(dag.task_kind[0], KIND_OF_ROOTS);
}
