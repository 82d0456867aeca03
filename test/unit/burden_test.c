/* SPDX-License-Identifier: MIT */
/* burden_test.c - what recording took is said where it is much, and never more than it was. */
#include "collector/talk/burden.h"

#include "test/lib/test.h"

TEST(test_percent)
{
	/* 4e6 readings of 10 ns in 0.14 s: 40 ms of them, and 100 of the program's */
	assert_int_equal(burden_percent(4000000, 10000, 140000000), 39);
	assert_int_equal(burden_percent(4000, 10000, 140000000), 0);	/* coarse */
	assert_int_equal(burden_percent(3000000, 10000, 130000000), 0); /* 30 % is not more */
	assert_int_equal(burden_percent(3000000, 10000, 125000000), 31);
	assert_int_equal(burden_percent(0, 10000, 100000000), 0);
	/* unknown, or impossible */
	assert_int_equal(burden_percent(3000000, 10000, 0), 0);
	assert_int_equal(burden_percent(3000000, 10000, 30000000), 0);
	assert_int_equal(burden_percent(3000000, 0, 100000000), 0);
}

/* Details, and the tasks of loops, which nobody goes on from, are none. */
TEST(test_readings)
{
	assert_int_equal(burden_readings(5000, 1000, false), 4000);
	assert_int_equal(burden_readings(9000, 1000, false), 4000);
	assert_int_equal(burden_readings(2000, 1000, false), 2000);
	assert_int_equal(burden_readings(5000, 1000, true), 2000);
	assert_int_equal(burden_readings(0, 0, false), 0);
}
