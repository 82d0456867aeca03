/* SPDX-License-Identifier: MIT */
/* A daemon's habit: closes every file descriptor above 2 at the start and reuses the numbers; what
 * it then writes into its own files must be all that they hold. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	char name[] = "/tmp/tptrace-fd-XXXXXX", buf[64] = "";
	long n = 0;
	ssize_t got;
	int fd, more[20];

	for (int i = 3; i < 1024; i++)
		close(i);
	fd = mkstemp(name);
	for (int i = 0; i < 20; i++)
		more[i] = dup(fd);
	for (int k = 0; k < 5; k++)
#pragma omp parallel
#pragma omp single
		for (int i = 0; i < 2000; i++)
#pragma omp task shared(n)
#pragma omp atomic
			n++;
	if (write(fd, "mine\n", 5) != 5)
		return 2;
	lseek(fd, 0, SEEK_SET);
	got = read(fd, buf, sizeof(buf));
	for (int i = 0; i < 20; i++)
		close(more[i]);
	unlink(name);
	printf("fd %d holds %zd bytes, n %ld\n", fd, got, n);
	return got != 5 || strcmp(buf, "mine\n") || n != 10000;
}
