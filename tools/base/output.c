/* SPDX-License-Identifier: MIT */
/* output.c - writes beside, and renames. */
#include "tools/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/folder.h"
#define BUFFER_BYTES (1u << 20)
#define TRIES 1000
#define WALK_FILES 16 /* open at once, while a folder is removed */

static int fail(struct err *err, int code, const char *path, const char *what)
{
	return err_set(err, code, "%s: %s: %s", path, what, strerror(code));
}

/* The mode of a new file or folder. */
static mode_t mode_of(mode_t all)
{
	mode_t mask = umask(0);

	umask(mask);
	return all & ~mask;
}

/* ---- those that are not whole ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_all(const char *path)
{
	if (unlink(path) < 0) /* a file needs no memory */
		nftw(path, remove_one, WALK_FILES, FTW_DEPTH | FTW_PHYS);
}

/* Somebody may put a new file into a folder that is being removed; but not once it is gone. */
static void remove_while_written(const char *path)
{
	for (int i = 0; i < TRIES && access(path, F_OK) == 0; i++)
		remove_all(path);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct output *unfinished;

/* The signals that would end the command: not one that its caller lets it ignore. */
static void ending_signals(sigset_t *set)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL)
			sigaddset(set, signals[i]);
}

static pid_t maker; /* children have the list, too, but not what is on it */

void output_abandon(void)
{
	if (maker != getpid())
		return;
	pthread_mutex_lock(&lock); /* for good: nothing is kept from here on */
	for (const struct output *output = unfinished; output; output = output->next)
		remove_while_written(output->temporary);
}

static sem_t begun;

static void *remove_at_signal(void *arg)
{
	sigset_t *set = arg;
	int signal;

	sem_post(&begun);
	while (sigwait(set, &signal) != 0)
		;
	output_abandon();
	pthread_sigmask(SIG_UNBLOCK, set, NULL);
	raise(signal);
	_exit(128 + signal);
}

/*
 * Threads that begin later have these signals blocked, too.  Who forks next finds no lock of an
 * allocator taken by the thread: it has begun, and waits.
 */
static void watch_signals(void)
{
	static sigset_t set;
	static bool watched;
	pthread_t thread;

	if (watched)
		return;
	watched = true;
	maker = getpid();
	ending_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sem_init(&begun, 0, 0);
	if (pthread_create(&thread, NULL, remove_at_signal, &set) != 0) {
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		return;
	}
	pthread_detach(thread);
	while (sem_wait(&begun) != 0)
		;
}

/* Until it is noted, no signal ends the command: nothing is left that nobody knows of. */
static void begin_making(void)
{
	watch_signals();
	pthread_mutex_lock(&lock);
}

static void end_making(struct output *output, bool made)
{
	if (made) {
		output->next = unfinished;
		unfinished = output;
	} else {
		free(output->temporary);
		output->temporary = NULL;
	}
	pthread_mutex_unlock(&lock);
}

/* With the lock. */
static void forget(struct output *output)
{
	struct output **at = &unfinished;

	while (*at && *at != output)
		at = &(*at)->next;
	if (*at)
		*at = output->next;
	free(output->temporary);
	output->temporary = NULL;
}

static int open_beside(struct output *output, struct err *err)
{
	int fd, code;

	if (asprintf(&output->temporary, "%s.part-XXXXXX", output->path) < 0) {
		output->temporary = NULL;
		return fail(err, ENOMEM, output->path, "cannot create");
	}
	begin_making();
	fd = mkostemp(output->temporary, O_CLOEXEC);
	code = errno;
	end_making(output, fd >= 0);
	if (fd < 0)
		return fail(err, code, output->path, "cannot create");
	fchmod(fd, mode_of(0666));
	return fd;
}

/* Whether it is there, and no file that another one can take the place of. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

int output_file(struct output *output, const char *path, struct err *err)
{
	int fd;

	*output = (struct output){ .path = path };
	if (strcmp(path, "-") == 0) {
		output->file = stdout;
		return 0;
	}
	if (is_folder(path))
		return fail(err, EISDIR, path, "cannot create");
	if (is_special(path)) {
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			return fail(err, errno, path, "cannot write");
	} else {
		fd = open_beside(output, err);
		if (fd < 0)
			return fd;
	}
	output->file = fdopen(fd, "w");
	if (!output->file) {
		close(fd);
		return fail(err, ENOMEM, path, "cannot create");
	}
	setvbuf(output->file, NULL, _IOFBF, BUFFER_BYTES);
	return 0;
}

int output_named(struct output *output, const char *path, struct err *err)
{
	int fd;

	*output = (struct output){ .path = path };
	if (is_folder(path) || is_special(path))
		return fail(err, is_folder(path) ? EISDIR : EINVAL, path, "cannot create");
	fd = open_beside(output, err);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int output_folder(struct output *output, const char *path, struct err *err)
{
	bool made;
	int code;

	*output = (struct output){ .path = path, .folder = true };
	if (access(path, F_OK) == 0 && rmdir(path) < 0)
		return err_set(
			err, errno,
			"%s: is there and not an empty directory; remove it, or name another",
			path);
	if (asprintf(&output->temporary, "%s.part-XXXXXX", path) < 0) {
		output->temporary = NULL;
		return fail(err, ENOMEM, path, "cannot create");
	}
	begin_making();
	made = mkdtemp(output->temporary) != NULL;
	code = errno;
	end_making(output, made);
	if (!made)
		return fail(err, code, path, "cannot create");
	chmod(output->temporary, mode_of(0777));
	return 0;
}

/* Its name is its own: that it is renamed, once it is whole, changes nothing. */
int output_new(struct output *output, const char *path, struct err *err)
{
	int fd, code;

	*output = (struct output){ .path = path, .temporary = strdup(path) };
	if (!output->temporary)
		return fail(err, ENOMEM, path, "cannot create");
	begin_making();
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	code = errno;
	end_making(output, fd >= 0);
	return fd < 0 ? fail(err, code, path, "cannot create") : fd;
}

/* ---- its end ---- */

static __thread uint64_t sum_bytes; /* nftw() has no context */

static int add_size(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)path;
	(void)at;
	if (type == FTW_F)
		sum_bytes += (uint64_t)st->st_size;
	return 0;
}

static void measure(struct output *output)
{
	struct stat st;

	if (output->folder) {
		sum_bytes = 0;
		nftw(output->temporary, add_size, WALK_FILES, FTW_PHYS);
		output->bytes = sum_bytes;
	} else if (stat(output->temporary, &st) == 0) {
		output->bytes = (uint64_t)st.st_size;
	}
}

int output_keep(struct output *output, struct err *err)
{
	bool failed = output->file && (fflush(output->file) != 0 || ferror(output->file));
	int code = 0;

	if (failed && output->file == stdout) {
		fail(err, errno ? errno : EIO, "standard output", "cannot write");
		__fpurge(stdout); /* it is said: say_finish() has nothing to add */
		clearerr(stdout);
		return err->code;
	}
	if (failed)
		return fail(err, errno ? errno : EIO, output->path, "cannot write");
	if (!output->temporary)
		return 0;
	measure(output);
	pthread_mutex_lock(&lock);
	if (rename(output->temporary, output->path) < 0)
		code = errno;
	else
		forget(output);
	pthread_mutex_unlock(&lock);
	return code ? fail(err, code, output->path, "cannot put the new file in its place") : 0;
}

void output_discard(struct output *output)
{
	if (output->file && output->file != stdout)
		fclose(output->file);
	if (output->temporary) {
		pthread_mutex_lock(&lock);
		remove_all(output->temporary);
		forget(output);
		pthread_mutex_unlock(&lock);
	}
	*output = (struct output){ 0 };
}
