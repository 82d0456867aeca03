/* SPDX-License-Identifier: MIT */
/* work.h - what tasks of the programs here do, for some 1000 n steps.  Any thread may call it. */
#pragma once

static volatile double sink;

static inline void work(int n)
{
	double x = 0;

	for (int i = 0; i < n * 1000; i++)
		x += i * 0.5;
	sink = x;
}
