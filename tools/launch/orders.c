/* SPDX-License-Identifier: MIT */
/* orders.c - finds the process's socket, and makes sure that it is the process's. */
#include "tools/launch/orders.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/session/address.h"

#define ANSWER_MS 60000	       /* a snapshot may be large */
#define CONNECT_TRIES 50       /* where many ask at once, .. */
#define CONNECT_REST_US 100000 /* .. so often, and so long between two */
#define LISTENS 0x10000	       /* __SO_ACCEPTCON of the kernel's <linux/net.h> */

/* Whose process it is; false if there is none. */
static bool owner_of(int pid, uid_t *uid)
{
	char path[40];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (stat(path, &st) < 0)
		return false;
	*uid = st.st_uid;
	return true;
}

/* Who has a name that the process would have. */
struct holder {
	struct ucred who;
	bool there;
	bool full; /* whoever has one has not taken in those who came before us */
	int error; /* a filter of system calls forbids to ask */
};

/* The descriptor if whoever listens there is the process's own user, or root: names can be taken by
 * anybody.  Else -1, and *holder if somebody else does.  Does not wait. */
static int connect_at(const struct sockaddr_un *address, socklen_t bytes, uid_t owner,
		      struct holder *holder)
{
	struct ucred who;
	socklen_t room = sizeof(who);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)address, bytes) == 0 &&
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &room) == 0) {
		holder->who = who;
		holder->there = who.uid != owner && who.uid != 0;
		if (!holder->there && fcntl(fd, F_SETFL, 0) == 0)
			return fd;
	}
	if (!holder->there && errno == EAGAIN)
		holder->full = true;
	else if (!holder->there && errno != ECONNREFUSED) /* nobody has the name */
		holder->error = errno;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Whether a line of /proc/net/unix has a socket that listens and whose name begins so; its name. */
static bool is_further(const char *line, const char *prefix, struct sockaddr_un *address,
		       socklen_t *bytes)
{
	const char *name = strstr(line, " @");
	unsigned flags;
	size_t n;

	if (!name || sscanf(line, "%*s %*s %*s %x", &flags) != 1 || !(flags & LISTENS) ||
	    strncmp(name + 2, prefix, strlen(prefix)) != 0)
		return false;
	n = strcspn(name + 2, "\n");
	if (n >= sizeof(address->sun_path))
		return false;
	memcpy(address->sun_path + 1, name + 2, n);
	*bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
	return true;
}

/* Where its first name was taken when it began (collector/session/address.h). */
static int connect_further(int pid, uid_t owner, struct holder *holder)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char prefix[32], line[512];
	FILE *sockets = fopen("/proc/net/unix", "re");
	socklen_t bytes;
	int fd = -1;

	snprintf(prefix, sizeof(prefix), "tptrace.%d.", pid);
	while (fd < 0 && sockets && fgets(line, sizeof(line), sockets))
		if (is_further(line, prefix, &address, &bytes))
			fd = connect_at(&address, bytes, owner, holder);
	if (sockets)
		fclose(sockets);
	return fd;
}

/* Whether the process sees other sockets than we do. */
static bool is_in_another_net(int pid)
{
	char path[40], theirs[64] = "", ours[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	return readlink(path, theirs, sizeof(theirs) - 1) > 0 &&
	       readlink("/proc/self/ns/net", ours, sizeof(ours) - 1) > 0 &&
	       strcmp(theirs, ours) != 0;
}

static int refuse(int pid, const struct holder *holder, struct err *err)
{
	char path[40], name[32] = "";
	FILE *comm;

	if (holder->error)
		return err_set(err, holder->error, "process %d: cannot connect to it: %s", pid,
			       strerror(holder->error));
	if (holder->full)
		return err_set(err, ETIMEDOUT, "process %d does not answer; is it stopped?", pid);
	if (!holder->there && is_in_another_net(pid))
		return err_set(
			err, ECONNREFUSED,
			"process %d is in another network namespace, whose sockets cannot be "
			"reached from here; call tptrace by `nsenter -t %d -n`",
			pid, pid);
	if (!holder->there)
		return err_set(err, ECONNREFUSED,
			       "process %d is not traced, or has not created a task yet; start it "
			       "under `tptrace record`",
			       pid);
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)holder->who.pid);
	comm = fopen(path, "re");
	if (comm && fgets(name, sizeof(name), comm))
		name[strcspn(name, "\n")] = 0;
	if (comm)
		fclose(comm);
	return err_set(err, ECONNREFUSED,
		       "process %d is not traced, or has not created a task yet; user %u has taken "
		       "its name: process %d, `%s`",
		       pid, (unsigned)holder->who.uid, (int)holder->who.pid, name);
}

static int connect_to(int pid, struct err *err)
{
	struct holder holder = { .full = true };
	struct sockaddr_un address;
	socklen_t bytes = address_of(&address, pid, 0);
	uid_t owner;
	int fd = -1;

	if (!owner_of(pid, &owner))
		return err_set(err, ESRCH, "process %d: no such process", pid);
	for (int i = 0; fd < 0 && holder.full && i < CONNECT_TRIES; i++) {
		if (i)
			usleep(CONNECT_REST_US);
		holder.full = false;
		fd = connect_at(&address, bytes, owner, &holder);
		if (fd < 0)
			fd = connect_further(pid, owner, &holder);
	}
	return fd < 0 ? refuse(pid, &holder, err) : fd;
}

/* Reads what comes until the other end closes. */
static int read_answer(int fd, int pid, char *out, size_t room, struct err *err)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	size_t n = 0;
	ssize_t got = 1;

	while (got > 0 && n + 1 < room) {
		if (poll(&in, 1, ANSWER_MS) == 0)
			return err_set(err, ETIMEDOUT, "process %d does not answer; is it stopped?",
				       pid);
		got = recv(fd, out + n, room - 1 - n, 0);
		n += got > 0 ? (size_t)got : 0;
	}
	out[n] = 0;
	out[strcspn(out, "\n")] = 0;
	return n ? 0 : err_set(err, EPIPE, "process %d ended before it answered", pid);
}

int orders_ask(const char *order, int pid, char answer[ORDERS_ANSWER], struct err *err)
{
	int fd = connect_to(pid, err);
	int error = fd < 0 ? fd : 0;

	if (!error) {
		int n = snprintf(answer, ORDERS_ANSWER, "%s\n", order);

		if (send(fd, answer, (size_t)n, MSG_NOSIGNAL) != n)
			error = err_set(err, errno, "process %d: %s", pid, strerror(errno));
	}
	if (!error)
		error = read_answer(fd, pid, answer, ORDERS_ANSWER, err);
	if (fd >= 0)
		close(fd);
	if (error)
		return error;
	if (strncmp(answer, "ok", 2) != 0)
		return err_set(err, EPERM, "process %d: %s", pid,
			       strncmp(answer, "error ", 6) == 0 ? answer + 6 : answer);
	return 0;
}
