/* SPDX-License-Identifier: MIT */
/* runtimes_test.c - whose kinds, roots and workers are. */
#include "test/unit/built.h"
#include "tools/analysis/ready_path.h"

#define RUNTIMES                                                                                   \
	"tptrace text 2\nruntime 0 name=a workers=2\nruntime 1 name=b workers=2\n"                 \
	"site 3 runtime=0\nsite 4 runtime=1\n"

/* A root is of the runtimes whose tasks it creates, begun or not; its worker, too. */
BUILT_TEST(test_roots)
{
	build(RUNTIMES "0 w0 root 0.1\n1 w0 create 0.2 site=3\n2 w0 resume 0.1\n"
		       "3 w0 create 0.3 site=4\n4 w0 resume 0.1\n9 w0 end\n"
		       "0 w1 root 1.1\n1 w1 create 1.2 site=4\n2 w1 resume 1.1\n9 w1 end\n"
		       "5 w2 begin 0.2\n6 w2 end\n0 w3 root 3.1\n9 w3 end\n");
	assert_int_equal(*map_find(&dag.root_runtimes, 0), 1 << 0 | 1 << 1);
	assert_int_equal(dag.worker_runtimes[0], 1 << 0 | 1 << 1);
	assert_int_equal(dag.worker_runtimes[1], 1 << 1);
	assert_int_equal(dag.worker_runtimes[2], 1 << 0);
	assert_int_equal(dag.worker_runtimes[3], RUNTIMES_ALL); /* it may be of any */
	assert_int_equal(dag.kind_runtimes[KIND_OF_ROOTS], 0);
	assert_int_equal(dag.kind_runtimes[1], 1 << 0);
	assert_int_equal(dag.kind_runtimes[2], 1 << 1);
}

/* Which collapsed tasks a worker ran is unknown: it may have run any. */
BUILT_TEST(test_collapsed)
{
	build(RUNTIMES "0 w0 root 0.1\n1 w0 create 0.2 site=3\n2 w0 resume 0.1\n9 w0 end\n"
		       "3 w1 begin 0.2\n- w1 collapsed made 1\n- w1 collapsed own 3\n"
		       "- w1 collapsed work 4\n- w1 collapsed span 4\n- w1 collapsed path 4\n"
		       "- w1 collapsed chain 1\n- w1 collapsed tasks 1\n- w1 collapsed busy-0 4\n"
		       "7 w1 end\n- w1 tally site=4 tasks 1\n- w1 tally site=4 work 1\n");
	assert_int_equal(dag.worker_runtimes[0], 1 << 0);
	assert_int_equal(dag.worker_runtimes[1], 1 << 0 | 1 << 1);
}

#define ROOTS                                                                                      \
	"0 w0 root 0.1\n1 w0 create 0.2 site=3\n2 w0 resume 0.1\n9 w0 end\n5 w1 begin 0.2\n"       \
	"6 w1 end\n0 w2 root 2.1\n1 w2 create 2.2 site=3\n2 w2 resume 2.1\n9 w2 end\n"
#define GAP(why) "- w2 lost 7" why "\n- w2 since 9\n- w2 until 12\n- w2 next-id 2\n"

/* Where more threads ran strands than the runtime has workers, those without tasks are none; but
 * one of them may have lost its tasks. */
BUILT_TEST(test_beside)
{
	build(RUNTIMES ROOTS);
	assert_true(dag.beside[0] && !dag.beside[1] && dag.beside[2]);
	assert_int_equal(dag.n_seen, 1);
	build(RUNTIMES ROOTS GAP(""));
	assert_true(dag.beside[0] && !dag.beside[1] && !dag.beside[2]);
	assert_int_equal(dag.n_seen, 2);
	build(RUNTIMES ROOTS GAP(" stopped"));
	assert_true(dag.beside[2]);
	build("tptrace text 2\nruntime 0 name=a workers=1\nsite 3 runtime=0\n" ROOTS GAP(""));
	assert_true(dag.beside[0] && dag.beside[2]); /* there is none who lacks */
}
