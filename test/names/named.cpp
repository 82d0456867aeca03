/* SPDX-License-Identifier: MIT */
/* named.cpp - lambdas that the program names itself; a comment @what is on the line of its row. */
#include <cstdio>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include "preload/tptrace.h"
#include "work.h"

int main()
{
	tbb::task_group group;

	for (int i = 0; i < 40; i++) {
		group.run([i] { /* @tile */
			tptrace_name("render tile");
			work(20 + i);
		});
		group.run([] { /* @plain */
			work(10);
		});
	}
	group.wait();
	tbb::parallel_for(0, 64, [](int i) { /* @last */
		tptrace_name("write tile");
		work(i);
	});
	std::puts("done");
	return 0;
}
