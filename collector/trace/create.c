/* SPDX-License-Identifier: MIT */
/* create.c - walks to the folder one name at a time, and looks at each before it goes on. */
#include "collector/trace/create.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/trace/stat.h"

#define LINKS_MAX 40 /* as the kernel has it */

struct walk {
	int fd;		/* the folder so far */
	struct stat st; /* its own */
	int n_links;
	char rest[PATH_MAX]; /* what is left of the path */
	char name[PATH_MAX]; /* the first name of it */
	char link[PATH_MAX]; /* what that leads to */
};

/*
 * Whether another user may have put it there: the folder is everybody's, as /tmp is, and the entry
 * belongs neither to us nor to who has the folder, nor to root.  Only root mounts.
 */
static bool is_planted(const struct walk *walk, const struct stat *entry)
{
	if (!(walk->st.st_mode & S_IWOTH) || walk->st.st_dev != entry->st_dev)
		return false;
	return entry->st_uid != geteuid() && entry->st_uid != walk->st.st_uid && entry->st_uid != 0;
}

static void walk_leave(struct walk *walk)
{
	if (walk->fd >= 0)
		close(walk->fd);
	walk->fd = -1;
}

/* Where the process stands takes no descriptor: there may be but one left. */
static int start_here(struct walk *walk)
{
	walk->fd = AT_FDCWD;
	return stat_path(".", &walk->st) < 0 ? -errno : 0;
}

static int start_at(struct walk *walk, const char *folder)
{
	walk_leave(walk);
	walk->fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return walk->fd < 0 || stat_fd(walk->fd, &walk->st) < 0 ? -errno : 0;
}

/* Puts what a link says before the rest of the path. */
static int walk_follow(struct walk *walk, int link)
{
	char *path = walk->link;
	ssize_t n = readlinkat(link, "", path, sizeof(walk->link) - 1);
	size_t rest = strlen(walk->rest);

	if (n < 0)
		return -errno;
	if (++walk->n_links > LINKS_MAX)
		return -ELOOP;
	if ((size_t)n + 1 + rest + 1 > sizeof(walk->rest))
		return -ENAMETOOLONG;
	path[n] = '/';
	memcpy(path + n + 1, walk->rest, rest + 1);
	memcpy(walk->rest, path, (size_t)n + 1 + rest + 1);
	return path[0] == '/' ? start_at(walk, "/") : 0;
}

/* Goes through one name: into a folder, or wherever a link leads. */
static int step(struct walk *walk, const char *name)
{
	int fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), error;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (stat_fd(fd, &st) < 0)
		error = -errno;
	else if (strcmp(name, "..") != 0 && is_planted(walk, &st))
		error = -CREATE_PLANTED;
	else if (S_ISLNK(st.st_mode))
		error = walk_follow(walk, fd);
	else
		error = S_ISDIR(st.st_mode) ? 1 : -ENOTDIR;
	if (error == 1) {
		walk_leave(walk);
		walk->fd = fd;
		walk->st = st;
		return 0;
	}
	close(fd);
	return error;
}

/* The first name of the rest, cut off; false if it is the last one, which `rest` is then. */
static bool next_name(struct walk *walk, char *name)
{
	char *at = walk->rest + strspn(walk->rest, "/");
	size_t n = strcspn(at, "/");
	char *behind = at + n + strspn(at + n, "/");

	if (*behind == 0) {
		memmove(walk->rest, at, strlen(at) + 1);
		return false;
	}
	memcpy(name, at, n);
	name[n] = 0;
	memmove(walk->rest, behind, strlen(behind) + 1);
	return true;
}

/* Goes to the folder; the name in it is `rest` then.  0 or -errno; to be left by arrive(). */
static int walk_to(struct walk *walk, const char *path)
{
	int error;

	if (!walk)
		return -ENOMEM;
	walk->fd = -1;
	if (snprintf(walk->rest, sizeof(walk->rest), "%s", path) >= (int)sizeof(walk->rest))
		return -ENAMETOOLONG;
	error = path[0] == '/' ? start_at(walk, "/") : start_here(walk);
	while (!error && next_name(walk, walk->name))
		error = step(walk, walk->name);
	return error;
}

/* Result of the walk: a descriptor or 0, or -errno where it is -1. */
static int arrive(struct walk *walk, int error, int result)
{
	int code = errno;

	if (walk)
		walk_leave(walk);
	free(walk);
	if (error)
		return error;
	return result < 0 ? -code : result;
}

static mode_t allowed = 0666;

void create_allow(mode_t mode)
{
	allowed = mode;
}

/* Not on the stack, which may be small. */
static struct walk *walk_begin(void)
{
	return calloc(1, sizeof(struct walk));
}

int create_file(const char *path)
{
	const int how = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	struct walk *walk = walk_begin();
	int error = walk_to(walk, path);

	return arrive(walk, error, error ? -1 : openat(walk->fd, walk->rest, how, allowed));
}

int create_nameless(const char *path)
{
	struct walk *walk = walk_begin();
	int error = walk_to(walk, path);

	return arrive(walk, error,
		      error ? -1 : openat(walk->fd, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, allowed));
}

int create_name(int fd, const char *path)
{
	char self[40];
	struct walk *walk = walk_begin();
	int error = walk_to(walk, path);

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	return arrive(walk, error,
		      error ? -1 : linkat(AT_FDCWD, self, walk->fd, walk->rest, AT_SYMLINK_FOLLOW));
}

int create_moved(const char *from, const char *path)
{
	struct walk *walk = walk_begin();
	int error = walk_to(walk, path);

	error = arrive(walk, error,
		       error ? -1
			     : renameat2(AT_FDCWD, from, walk->fd, walk->rest, RENAME_NOREPLACE));
	if (error != -EINVAL) /* not every file system can do so in one step */
		return error;
	return access(path, F_OK) == 0 ? -EEXIST : rename(from, path) < 0 ? -errno : 0;
}
