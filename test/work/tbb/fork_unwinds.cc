// SPDX-License-Identifier: MIT
// A child of fork() returns out of the task that forked, and goes on to the end of main().
#include <sys/wait.h>
#include <unistd.h>
#include "threads.hh"

int main()
{
	tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
	tbb::task_group group;
	int status = 0;
	pid_t pid = -1;

	group.run([] {}); /* pending when the process forks */
	group.run_and_wait([&] { pid = fork(); });
	if (pid > 0)
		waitpid(pid, &status, 0);
	group.run([] {});
	group.wait();
	std::printf("%s %d\n", pid ? "parent" : "child", status);
	return pid ? WEXITSTATUS(status) : 0;
}
