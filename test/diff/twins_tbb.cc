// SPDX-License-Identifier: MIT
// twins_tbb.cc - twins.c on oneTBB: a tree of task groups with leaves of two kinds.
#include <oneapi/tbb/task_group.h>

#ifndef LONGER
#define LONGER 1
#endif
#define STEPS 50000
#define DEPTH 6

static unsigned sink;

struct steady {
	unsigned *out;
	void operator()() const
	{
		unsigned x = 1;

		for (int n = STEPS; n--;)
			x = x * 1664525u + 1013904223u;
		*out = x;
	}
};

struct changed {
	unsigned *out;
	void operator()() const
	{
		unsigned x = 1;

		for (int n = STEPS * LONGER; n--;)
			x = x * 22695477u + 1u;
		*out = x;
	}
};

static void tree(int depth)
{
	oneapi::tbb::task_group group;
	unsigned a = 0, b = 0;

	if (depth == 0) {
		group.run(steady{&a});
		group.run(changed{&b});
	} else {
		group.run([=] { tree(depth - 1); });
		group.run([=] { tree(depth - 1); });
	}
	group.wait();
	__atomic_fetch_add(&sink, a + b, __ATOMIC_RELAXED);
}

int main()
{
	tree(DEPTH);
	return sink == 12345;
}
