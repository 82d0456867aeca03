/* SPDX-License-Identifier: MIT */
/* seat.c - reads the launcher's variables, and looks who the parent is. */
#include "tools/team/seat.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool number(const char *variable, uint32_t *value)
{
	const char *text = getenv(variable);
	char *end;
	unsigned long long n;

	if (!text || *text < '0' || *text > '9')
		return false;
	n = strtoull(text, &end, 10);
	*value = (uint32_t)n;
	return *end == 0 && n < UINT32_MAX;
}

static bool told(struct seat *seat, const char *rank, const char *n)
{
	return number(rank, &seat->rank) && number(n, &seat->n) && seat->rank < seat->n;
}

/* Open MPI's, on the machine of mpirun and on others, by the names of 4 and of 5, and by those that
 * Debian gives the commands beside another MPI's. */
static bool mpirun_is_parent(void)
{
	static const char *const name[] = { "mpirun\n",		 "mpirun.openmpi\n", "mpiexec\n",
					    "mpiexec.openmpi\n", "orterun\n",	     "orted\n",
					    "prterun\n",	 "prted\n",	     "prte\n" };
	char path[64], comm[64] = "";
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)getppid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, comm, sizeof(comm) - 1);
	if (fd >= 0)
		close(fd);
	for (size_t i = 0; n > 0 && i < sizeof(name) / sizeof(name[0]); i++)
		if (strcmp(comm, name[i]) == 0)
			return true;
	return false;
}

struct seat seat_find(void)
{
	const struct seat alone = { .rank = 0, .n = 1 };
	const char *variable = getenv(SEAT_VARIABLE);
	bool on = variable && strcmp(variable, "on") == 0;
	struct seat seat = { 0 };

	if (variable && strcmp(variable, "off") == 0)
		return alone;
	if (told(&seat, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
		seat.launched = on || mpirun_is_parent();
	else
		seat.launched = on && told(&seat, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS");
	return seat.launched ? seat : alone;
}
