/* SPDX-License-Identifier: MIT */
/* server.c - a poll loop over the listening socket, the signals and some connections. */
#include "tools/serve/server.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tools/serve/request.h"

#define CONNECTIONS 16	     /* a further one takes the place of that with the least time left */
#define HEAD_NS 10000000000u /* for a request's head to come */
#define BODY_NS 60000000000u /* for some of an answer to be taken */
#define END_NS 500000000u    /* at the end, for who is connected: browsers may not ask */

enum { LISTENER, SIGNALS, FIRST };

struct connection {
	int socket; /* -1: free */
	char head[REQUEST_MOST];
	size_t n_head;
	char *answer; /* NULL until the head is whole */
	size_t n_answer, n_sent;
	bool is_over;	   /* all was sent: what still comes is read, lest the answer be lost */
	uint64_t since_ns; /* when it last got on */
};

struct serving {
	const struct server *server;
	server_answer *answer;
	void *of;
	struct connection connection[CONNECTIONS];
	uint64_t asked_ns; /* last */
	uint64_t end_ns;   /* when it ends, whoever is connected; 0: it does not, yet */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- the socket ---- */

static int make_token(char token[SERVER_TOKEN + 1], struct err *err)
{
	uint8_t random[SERVER_TOKEN / 2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return err_set(err, EIO, "cannot read random numbers: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(&token[2 * i], 3, "%02x", random[i]);
	return 0;
}

int server_open(struct server *server, uint16_t port, struct err *err)
{
	struct sockaddr_in here = { .sin_family = AF_INET,
				    .sin_port = htons(port),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(here);
	int yes = 1;

	*server =
		(struct server){ .socket = socket(AF_INET,
						  SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) };
	if (server->socket < 0)
		return err_set(err, errno, "cannot open a socket: %s", strerror(errno));
	if (setsockopt(server->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    bind(server->socket, (struct sockaddr *)&here, sizeof(here)) < 0 ||
	    listen(server->socket, SOMAXCONN) < 0 ||
	    getsockname(server->socket, (struct sockaddr *)&here, &size) < 0)
		return err_set(err, errno, "127.0.0.1, port %u: %s; --port takes another one", port,
			       strerror(errno));
	server->port = ntohs(here.sin_port);
	return make_token(server->token, err);
}

char *server_address(const struct server *server)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return NULL;
	fprintf(out, "http://127.0.0.1:%u/%s/", server->port, server->token);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

void server_close(struct server *server)
{
	if (server->socket > 0)
		close(server->socket);
	*server = (struct server){ 0 };
}

/* ---- what is asked ---- */

/* Takes as long whichever digit is wrong. */
static bool is_token(const char *token, const char *given)
{
	unsigned differs = 0;

	for (int i = 0; i < SERVER_TOKEN; i++)
		differs |= (unsigned char)token[i] ^ (unsigned char)given[i];
	return differs == 0;
}

/* What follows "/TOKEN/"; NULL if the path does not begin so. */
static const char *behind_token(const struct server *server, const char *path)
{
	if (strlen(path) < SERVER_TOKEN + 2 || !is_token(server->token, path + 1) ||
	    path[SERVER_TOKEN + 1] != '/')
		return NULL;
	return path + SERVER_TOKEN + 2;
}

static bool is_host(const struct server *server, const char *host)
{
	static const char *const name[] = { "127.0.0.1", "localhost" };
	char own[32];

	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
		snprintf(own, sizeof(own), "%s:%u", name[i], server->port);
		if (strcmp(host, own) == 0 || (server->port == 80 && strcmp(host, name[i]) == 0))
			return true;
	}
	return false;
}

static const char *meaning_of(int status)
{
	static const struct {
		int status;
		const char *text;
	} known[] = {
		{ 200, "OK" },
		{ 400, "Bad Request" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 414, "URI Too Long" },
		{ 431, "Request Header Fields Too Large" },
		{ 505, "HTTP Version Not Supported" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].status == status)
			return known[i].text;
	return "Internal Server Error";
}

/* The answer to what was read, or, with a status already, a refusal. */
static int put_body(struct serving *serving, const struct request *request, int status, FILE *body)
{
	const char *path = status == 200 ? behind_token(serving->server, request->path) : NULL;

	if (status != 200)
		return status;
	if (!path || !is_host(serving->server, request->host))
		return 403;
	serving->asked_ns = now_ns();
	return serving->answer(serving->of, path, request->query, body);
}

static void put_head(FILE *out, int status, size_t n)
{
	fprintf(out,
		"HTTP/1.1 %d %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n%s"
		"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: "
		"DENY\r\n"
		"Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
		"Connection: close\r\n\r\n",
		status, meaning_of(status), status == 200 ? "text/html" : "text/plain", n,
		status == 405 ? "Allow: GET\r\n" : "");
}

/* Head and body as one; false if out of memory. */
static bool make_answer(struct serving *serving, struct connection *connection,
			const struct request *request, int status)
{
	char *body = NULL;
	size_t n_body = 0;
	FILE *out = open_memstream(&body, &n_body);
	bool is_made = out != NULL;

	if (out)
		status = put_body(serving, request, status, out);
	if (out && fclose(out) != 0)
		is_made = false;
	out = is_made ? open_memstream(&connection->answer, &connection->n_answer) : NULL;
	if (out && status == 200) {
		put_head(out, status, n_body);
		fwrite(body, 1, n_body, out);
	} else if (out) {
		put_head(out, status, strlen(meaning_of(status)) + 1);
		fprintf(out, "%s\n", meaning_of(status));
	}
	is_made = out && fclose(out) == 0;
	free(body);
	return is_made;
}

/* ---- connections ---- */

static void end(struct connection *connection)
{
	close(connection->socket);
	free(connection->answer);
	*connection = (struct connection){ .socket = -1 };
}

/* When it is ended if it does not get on. */
static uint64_t last_ns(const struct connection *connection)
{
	return connection->since_ns +
	       (connection->answer && !connection->is_over ? BODY_NS : HEAD_NS);
}

/* A free place, or that of the connection with the least time left: who sends nothing, or reads
 * nothing, holds up nobody. */
static struct connection *make_place(struct serving *serving)
{
	struct connection *least = &serving->connection[0];

	for (int i = 0; i < CONNECTIONS; i++) {
		struct connection *connection = &serving->connection[i];

		if (connection->socket < 0)
			return connection;
		if (last_ns(connection) < last_ns(least))
			least = connection;
	}
	end(least);
	return least;
}

static void begin(struct serving *serving)
{
	int one = accept4(serving->server->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (one >= 0)
		*make_place(serving) = (struct connection){ .socket = one, .since_ns = now_ns() };
}

static void drain(struct connection *connection)
{
	ssize_t n = recv(connection->socket, connection->head, sizeof(connection->head), 0);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		end(connection);
}

static void get(struct serving *serving, struct connection *connection)
{
	struct request request;
	ssize_t n = recv(connection->socket, connection->head + connection->n_head,
			 sizeof(connection->head) - connection->n_head, 0);
	int status;

	if (n <= 0) {
		if (n == 0 || (errno != EAGAIN && errno != EINTR))
			end(connection);
		return;
	}
	connection->n_head += (size_t)n;
	status = request_read(&request, connection->head, connection->n_head);
	if (status == 0)
		return;
	if (!make_answer(serving, connection, &request, status))
		end(connection);
	else
		connection->since_ns = now_ns();
}

static void put(struct connection *connection)
{
	ssize_t n = send(connection->socket, connection->answer + connection->n_sent,
			 connection->n_answer - connection->n_sent, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	connection->n_sent += n > 0 ? (size_t)n : 0;
	connection->since_ns = now_ns();
	if (n <= 0)
		end(connection);
	else if (connection->n_sent == connection->n_answer)
		connection->is_over = shutdown(connection->socket, SHUT_WR) == 0;
}

/* ---- the loop ---- */

/* Sets what is waited for, till `until` at most; how many ms, -1: for ever. */
static int prepare(struct serving *serving, struct pollfd *wanted, uint64_t until)
{
	uint64_t now = now_ns();

	for (int i = 0; i < CONNECTIONS; i++) {
		struct connection *connection = &serving->connection[i];

		if (connection->socket >= 0 && last_ns(connection) <= now)
			end(connection);
		wanted[FIRST + i] = (struct pollfd){
			.fd = connection->socket,
			.events = connection->answer && !connection->is_over ? POLLOUT : POLLIN
		};
		if (connection->socket >= 0 && last_ns(connection) < until)
			until = last_ns(connection);
	}
	if (until == UINT64_MAX)
		return -1;
	return until <= now ? 0 : (int)((until - now) / 1000000u % 1000000u) + 1;
}

/* When the loop ends, if nothing happens. */
static uint64_t until_ns(const struct serving *serving, uint32_t idle_s)
{
	if (serving->end_ns)
		return serving->end_ns;
	return idle_s ? serving->asked_ns + idle_s * 1000000000ull : UINT64_MAX;
}

/* Whether all who asked have their answers; at the end, all who are connected. */
static bool has_answered(const struct serving *serving)
{
	for (int i = 0; i < CONNECTIONS; i++) {
		const struct connection *connection = &serving->connection[i];

		if (connection->socket >= 0 && !connection->is_over &&
		    (connection->answer || serving->end_ns))
			return false;
	}
	return true;
}

static bool is_over(const struct serving *serving, uint32_t idle_s)
{
	bool is_late = now_ns() >= until_ns(serving, idle_s);

	return serving->end_ns ? is_late || has_answered(serving)
			       : is_late && has_answered(serving);
}

/* Who is connected is answered; others are left to whoever answers here next. */
static void begin_end(struct serving *serving, struct pollfd *is)
{
	serving->end_ns = now_ns() + END_NS;
	is[LISTENER].fd = is[SIGNALS].fd = -1;
}

static void answer_all(struct serving *serving, const struct pollfd *is)
{
	for (int i = 0; i < CONNECTIONS; i++) {
		struct connection *connection = &serving->connection[i];

		if (!is[FIRST + i].revents || connection->socket < 0)
			continue;
		if (connection->is_over)
			drain(connection);
		else if (connection->answer)
			put(connection);
		else
			get(serving, connection);
	}
	if (is[LISTENER].revents)
		begin(serving);
}

static int open_signals(struct err *err)
{
	sigset_t endings;
	int signals;

	sigemptyset(&endings);
	sigaddset(&endings, SIGINT);
	sigaddset(&endings, SIGTERM);
	sigaddset(&endings, SIGHUP);
	sigprocmask(SIG_BLOCK, &endings, NULL);
	signals = signalfd(-1, &endings, SFD_CLOEXEC);
	return signals >= 0 ? signals : err_set(err, errno, "signalfd: %s", strerror(errno));
}

int server_run(const struct server *server, uint32_t idle_s, server_answer *answer, void *of,
	       struct err *err)
{
	struct serving *serving = calloc(1, sizeof(*serving));
	int signals = serving ? open_signals(err) : err_no_memory(err);
	struct pollfd is[FIRST + CONNECTIONS] = { [LISTENER] = { .fd = server->socket,
								 .events = POLLIN },
						  [SIGNALS] = { .fd = signals, .events = POLLIN } };

	if (signals < 0) {
		free(serving);
		return signals;
	}
	*serving = (struct serving){
		.server = server, .answer = answer, .of = of, .asked_ns = now_ns()
	};
	for (int i = 0; i < CONNECTIONS; i++)
		serving->connection[i].socket = -1;
	while (!is_over(serving, idle_s)) {
		if (poll(is, FIRST + CONNECTIONS,
			 prepare(serving, is, until_ns(serving, idle_s))) <= 0)
			continue;
		answer_all(serving, is);
		if (is[SIGNALS].revents)
			begin_end(serving, is);
	}
	for (int i = 0; i < CONNECTIONS; i++)
		if (serving->connection[i].socket >= 0)
			end(&serving->connection[i]);
	close(signals);
	free(serving);
	return 0;
}
