// SPDX-License-Identifier: MIT
// fork() after tasks, and in one: the children end by _exit(), exit() or exec, without tasks.
#include <sys/wait.h>
#include <unistd.h>
#include "threads.hh"

static int child(int how)
{
	int status = -1;
	pid_t pid;

	std::fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (how == 0)
			_exit(10);
		if (how == 1)
			execl("/bin/sh", "sh", "-c", "exit 11", (char *)nullptr);
		std::exit(12);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main()
{
	std::atomic<long> sum{ 0 };

	in_arena([&] {
		tbb::task_group group;

		for (int i = 0; i < 10; i++)
			group.run([&sum, i] { sum += i == 5 ? child(0) : i; });
		group.wait();
	});
	std::printf("%ld %d %d %d\n", sum.load(), child(0), child(1), child(2));
	std::printf("tptrace-tasks 10\n");
}
