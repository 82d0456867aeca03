/* SPDX-License-Identifier: MIT */
/* launcher.c - reads the variables that launchers of many processes set. */
#include "collector/session/launcher.h"

#include <stdio.h>
#include <stdlib.h>

/* The first of these variables that is set; NULL. */
static const char *first_set(const char *const *name, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *value = getenv(name[i]);

		if (value && *value)
			return value;
	}
	return NULL;
}

/* An MPI library's own word comes before that of the batch system around it. */
const char *launcher_rank(void)
{
	static const char *const name[] = {
		"PMIX_RANK",	       "OMPI_COMM_WORLD_RANK", "PMI_RANK",	     "PMI_ID",
		"MV2_COMM_WORLD_RANK", "FLUX_TASK_RANK",       "JSM_NAMESPACE_RANK", "PALS_RANKID",
		"ALPS_APP_PE",	       "SLURM_PROCID"
	};

	return first_set(name, sizeof(name) / sizeof(name[0]));
}

const char *launcher_ranks(void)
{
	static const char *const name[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
					    "MV2_COMM_WORLD_SIZE",  "FLUX_JOB_SIZE",
					    "JSM_NAMESPACE_SIZE",   "SLURM_NTASKS",
					    "SLURM_NPROCS" };

	return first_set(name, sizeof(name) / sizeof(name[0]));
}

const char *launcher_local_rank(void)
{
	static const char *const name[] = { "OMPI_COMM_WORLD_LOCAL_RANK",
					    "MPI_LOCALRANKID",
					    "MV2_COMM_WORLD_LOCAL_RANK",
					    "FLUX_TASK_LOCAL_ID",
					    "JSM_NAMESPACE_LOCAL_RANK",
					    "PALS_LOCAL_RANKID",
					    "SLURM_LOCALID" };

	return first_set(name, sizeof(name) / sizeof(name[0]));
}

/* Slurm's job alone may have many steps, one after the other. */
const char *launcher_job(char *out, size_t room)
{
	static const char *const name[] = { "PMIX_NAMESPACE", "FLUX_JOB_ID", "PALS_APID" };
	const char *job = first_set(name, sizeof(name) / sizeof(name[0]));
	const char *slurm = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");

	if (job)
		snprintf(out, room, "%s", job);
	else if (slurm && step)
		snprintf(out, room, "%s.%s", slurm, step);
	else
		return NULL;
	return out;
}
