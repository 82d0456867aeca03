/* SPDX-License-Identifier: MIT */
/* A program of classic TBB and oneTBB: the report says that nothing of the first is recorded. */
// lib: classic_lib.cc
// expect: [x["note"] for x in r["runtimes"] if x["name"] == "classic TBB"] == ["its tasks are not recorded; those of oneTBB are"]
#include "classic.hh"

#include <cstdio>
#include <oneapi/tbb/task_group.h>

int main()
{
	tbb::internal::allocate_root_with_context_proxy proxy = { 7 };
	char *first = &tbb::internal::allocate_root_proxy::allocate(0);

	for (std::size_t i = 0; i < 8; i++)
		std::printf("%td %td\n", &tbb::internal::allocate_root_proxy::allocate(i) - first,
			    &proxy.allocate(i) - first);
	tbb::task_group group;
	group.run_and_wait([] { std::printf("tptrace-tasks 1\n"); });
	return 0;
}
