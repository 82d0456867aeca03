/* SPDX-License-Identifier: MIT */
/* stopped.c FILE - makes tasks, counting them in FILE, until FILE says that it is enough. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile uint64_t sum;

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR) : -1;
	volatile uint64_t *shared = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	alarm(100); /* whoever started us may be gone */
	if (shared == MAP_FAILED)
		return 2;
#pragma omp parallel num_threads(2)
#pragma omp single
	while (!shared[1]) {
#pragma omp task
		sum++;
		shared[0]++;
		if (shared[0] % 1000 == 0) {
#pragma omp taskwait
		}
	}
	return 0;
}
