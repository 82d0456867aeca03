/* SPDX-License-Identifier: MIT */
/* team.c - finds out who leads, and connects the ranks. */
#include "tools/team/team.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/threads.h"
#include "tools/base/say.h"

static struct crew crew_of(struct team *team)
{
	return (struct crew){ .work = team->work.work,
			      .work_context = team->work.context,
			      .width = team->width,
			      .ranks = team->on_ranks ? &team->ranks : NULL };
}

static int fail(struct err *err, int error)
{
	return err->text[0] ? error
			    : err_set(err, -error, "%s",
				      error == -ENOMEM ? "out of memory"
						       : "other ranks cannot be reached");
}

/* The ranks that are not 0. */
static int help(struct team *team)
{
	const struct crew crew = crew_of(team);
	struct err err = { 0 };
	int error = ranks_join(&team->ranks, &err);

	threads_want(1);
	if (!error)
		error = crew_serve(&crew);
	if (error && !err.text[0])
		err_set(&err, -error, "stopped before its share was read: %s", strerror(-error));
	if (error)
		say_alone(&err);
	return ranks_close(&team->ranks, !error) < 0 || error ? 1 : 0;
}

bool team_open(struct team *team, char **argv, bool any, uint32_t width, struct team_work work,
	       int *status)
{
	struct seat seat = seat_find();
	bool possible = seat.n > 1 && ranks_possible();
	struct err err = { 0 };

	*team = (struct team){ .work = work, .on_ranks = possible && any };
	team->n_threads = width || !team->on_ranks ? width : 1;
	team->width = team->n_threads ? team->n_threads : threads_usual();
	threads_want(team->n_threads);
	*status = 0;
	if (seat.n > 1 && !possible && !seat.rank)
		say_warn("tptrace-mpi is not installed; this rank reads all traces");
	if (!team->on_ranks)
		return seat.rank == 0;
	if (ranks_open(&team->ranks, seat, argv, &err) < 0) {
		ranks_close(&team->ranks, false);
		say_alone(&err);
		*status = 1;
		return false;
	}
	if (seat.rank)
		*status = help(team);
	return seat.rank == 0;
}

int team_join(struct team *team, struct err *err)
{
	int error = 0;

	if (team->on_ranks && !team->joined)
		error = ranks_join(&team->ranks, err);
	team->joined |= !error;
	team->lost |= error != 0;
	return error;
}

/* The children share the threads. */
static int run_apart(const struct team *team, const struct crew *crew,
		     const struct team_pieces *pieces)
{
	int error;

	threads_want(pieces->n && pieces->n < team->width ? team->width / pieces->n : 1);
	error = crew_run(crew, pieces->order, pieces->n);
	threads_want(team->n_threads);
	return error;
}

int team_run(struct team *team, const struct team_pieces *pieces, struct err *err)
{
	struct crew crew = crew_of(team);
	int error = team_join(team, err);

	crew.name = pieces->name;
	crew.take = pieces->take;
	crew.context = pieces->context;
	if (!error)
		error = run_apart(team, &crew, pieces);
	team->lost |= error != 0;
	return error ? fail(err, error) : 0;
}

int team_tell(const struct team *team, const char *path, const struct crew_done *done)
{
	struct err err = { 0 };
	int status;

	if (!done->error && done->status >= 0) {
		fwrite(done->err.at, 1, done->err.n, stderr);
		return done->status;
	}
	if (done->error)
		err_set(&err, -done->error, "%s: %s", path, strerror(-done->error));
	else
		err_set(&err, EINTR, "%s: signal %d ended its analysis", path, -done->status);
	if (team->on_ranks)
		say_as_rank(done->rank);
	status = say_fail(&err);
	if (team->on_ranks)
		say_as_rank(0);
	return status;
}

int team_end(struct team *team, int error, struct err *err)
{
	struct err end_err = { 0 };
	int end = team_close(team, &end_err);

	if (end && !error)
		*err = end_err;
	return error ?: end;
}

int team_close(struct team *team, struct err *err)
{
	struct crew crew = crew_of(team);
	int error = team->lost ? 0 : team_join(team, err);
	bool whole = !team->lost && !error;

	if (!team->on_ranks)
		return 0;
	if (whole)
		crew_dismiss(&crew);
	if (ranks_close(&team->ranks, whole) < 0 && whole)
		error = err_set(err, EPIPE, "MPI ended with an error");
	team->on_ranks = false;
	return error;
}
