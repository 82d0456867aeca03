/* SPDX-License-Identifier: MIT */
/*
 * names_files_test.c - which file has a program's names: its debug file, or one under its id; none
 * that is another's or damaged, and none of a server.
 */
#include "test/unit/scene.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define CORRUPT_FILES 300u

/* The debug file goes to `to`; a debug link to its name if is_linked. */
static void split_off(const char *flags, const char *to, int is_linked)
{
	build_c(flags);
	shell("rm -rf .debug roots && mkdir .debug && mkdir -p $(dirname %s)", to);
	shell("objcopy --only-keep-debug program program.debug && strip -s program");
	if (is_linked)
		shell("objcopy --add-gnu-debuglink=program.debug program");
	if (strcmp(to, "program.debug"))
		shell("mv program.debug \"%s\"", to);
}

NAMES_TEST(test_debug_link)
{
	static const char *const flags[] = { "-g -O2", "-g -O2 -Wl,--build-id=none",
					     "-g -O2 -gz -no-pie" };
	static const char *const places[] = { "program.debug", ".debug/program.debug",
					      "roots/b$PWD/program.debug" };
	struct scene scene;

	setenv("TPTRACE_DEBUG_PATH", "/none:roots/a:roots/b", 1);
	for (int i = 0; i < 9; i++) {
		print_message("[ %s %s ]\n", flags[i / 3], places[i % 3]);
		split_off(flags[i / 3], places[i % 3], 1);
		scene_run(&scene);
		scene_declare(&scene, 1);
		expect_all(&scene);
		names_free(scene.names);
		shell("rm -f program.debug");
	}
	unsetenv("TPTRACE_DEBUG_PATH");
}

/* By a symbolic link to the program: the debug file is where the program is. */
NAMES_TEST(test_debug_link_of_link)
{
	struct scene scene;
	struct part *part;

	split_off("-g -O2", "program.debug", 1);
	shell("rm -rf elsewhere && mkdir elsewhere && ln -s ../program elsewhere/program");
	scene_run(&scene);
	part = scene_part(&scene, "/program");
	strcpy(strrchr(part->path, '/'), "/elsewhere/program");
	scene_declare(&scene, 1);
	expect_all(&scene);
	names_free(scene.names);
	shell("rm -f program.debug");
}

/* A file of the right name that isn't the right one: by its id, and by its CRC. */
NAMES_TEST(test_wrong_debug_link)
{
	static const char *const flags[] = { "-g", "-g -Wl,--build-id=none" };
	struct scene scene;

	for (int i = 0; i < 2; i++) {
		char other[64];

		snprintf(other, sizeof(other), "%s -DREBUILT", flags[i]);
		split_off(flags[i], "right", 1);
		shell("mv program linked");
		split_off(other, "program.debug", 0);
		shell("mv linked program");
		scene_run(&scene);
		scene_declare(&scene, 1);
		expect_nothing(&scene, "call");
		shell("mv right .debug/program.debug");
		scene_declare(&scene, 1);
		expect_all(&scene);
		names_free(scene.names);
		shell("rm -f program.debug");
	}
}

/* A debug link may have the program's own name, and is then not the program. */
NAMES_TEST(test_debug_link_same_name)
{
	struct scene scene;

	split_off("-g", ".debug/program", 0);
	shell("cd .debug && objcopy --add-gnu-debuglink=program ../program");
	scene_run(&scene);
	scene_declare(&scene, 1);
	expect_all(&scene);
	names_free(scene.names);
}

/* roots/b/.build-id/xx/yyyy<suffix>, for the id that the program says it has. */
static void move_by_id(struct scene *scene, const char *file, const char *suffix)
{
	const char *id = scene_part(scene, "/program")->build_id;

	shell("d=roots/b/.build-id/%.2s; mkdir -p $d && mv %s $d/%s%s", id, file, id + 2, suffix);
}

/* Until scene_clean(), debug files are looked for there as well. */
static void declare_with_path(struct scene *scene, const char *path)
{
	setenv("TPTRACE_DEBUG_PATH", path, 1);
	scene_declare(scene, 1);
}

NAMES_TEST(test_build_id)
{
	struct scene scene;

	split_off("-g", "debug", 0);
	scene_run(&scene);
	move_by_id(&scene, "debug", ".debug");
	scene_declare(&scene, 1);
	expect_nothing(&scene, "call"); /* without the path */
	declare_with_path(&scene, "roots/a:roots/b");
	expect_all(&scene);
	scene_declare(&scene, 0); /* the id of the file itself will do */
	expect_all(&scene);
	shell("mv program elsewhere.program"); /* the debug file has all that we ask */
	scene_declare(&scene, 1);
	expect_all(&scene);
	scene_declare(&scene, 0);
	expect_nothing(&scene, "call");
	names_free(scene.names);
}

/* The file under that id has another id. */
NAMES_TEST(test_wrong_build_id)
{
	struct scene scene;

	split_off("-g -DREBUILT", "wrong", 0);
	split_off("-g", "debug", 0);
	scene_run(&scene);
	move_by_id(&scene, "wrong", ".debug");
	declare_with_path(&scene, "roots/b");
	expect_nothing(&scene, "call");
	names_free(scene.names);
}

NAMES_TEST(test_rebuilt)
{
	struct scene scene;

	scene_of(&scene, "-g");
	shell("mv program first");
	build_c("-g -DREBUILT");
	assert_null(names_stale(scene.names, 0)); /* not met yet */
	expect_nothing(&scene, "call");
	expect_function(&scene, "library_work", "library_work");
	expect_text("stale", names_stale(scene.names, 0), scene_part(&scene, "/program")->path);
	assert_null(names_stale(scene.names, 1));

	scene_declare(&scene, 0); /* nothing to compare with: believed, rightly or not */
	assert_non_null(ask(&scene, "call").function);
	assert_null(names_stale(scene.names, 0));

	move_by_id(&scene, "first", ""); /* the first is still somewhere */
	declare_with_path(&scene, "roots/b");
	expect_all(&scene);
	names_free(scene.names);
}

NAMES_TEST(test_not_elf)
{
	static const char *const instead[] = { "mkfifo program", "mkdir program",
					       "echo script >program", "touch program", "true" };
	struct scene scene;

	for (int i = 0; i < 5; i++) {
		scene_of(&scene, "-g");
		shell("rm program && %s", instead[i]);
		expect_nothing(&scene, "call");
		assert_true(!names_stale(scene.names, 0) == (i == 4));
		scene_declare(&scene, 0);
		expect_nothing(&scene, "call");
		assert_null(names_stale(scene.names, 0));
		names_free(scene.names);
		shell("rm -rf program");
	}
}

static void ask_all(struct scene *scene)
{
	for (uint32_t i = 0; i < scene->n_spots; i++) {
		struct name name = ask(scene, scene->spot[i].label);

		assert_true(!name.file == !name.line);
		assert_true(!name.function || strlen(name.function) < 10000);
	}
}

static long bytes_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

NAMES_TEST(test_truncated)
{
	struct scene scene;
	long n_bytes = 0;

	scene_of(&scene, "-g");
	shell("mv program whole");
	n_bytes = bytes_of("whole");
	for (long n = 0; n < n_bytes; n += n_bytes / 40) {
		shell("head -c %ld whole >program", n);
		scene_declare(&scene, 1);
		ask_all(&scene);
		scene_declare(&scene, 0);
		ask_all(&scene);
		if (n < n_bytes / 2) /* the section headers come last */
			expect_nothing(&scene, "call");
	}
	names_free(scene.names);
}

/* Bytes changed here and there: any answer will do. */
NAMES_TEST(test_corrupt)
{
	uint32_t seed = getenv("NAMES_SEED") ? (uint32_t)atoi(getenv("NAMES_SEED")) : 1;
	static const char *const flags[] = { "-g", "-g -gdwarf-4 -O2", "-g -gz -O2", "-g0" };
	struct scene scene;
	long n_bytes = 0;

	print_message("[ NAMES_SEED=%u ]\n", seed);
	srandom(seed);
	for (uint32_t i = 0; i < CORRUPT_FILES; i++) {
		if (i % (CORRUPT_FILES / 4) == 0) {
			if (i)
				names_free(scene.names);
			scene_of(&scene, flags[i / (CORRUPT_FILES / 4)]);
			shell("mv program whole");
			n_bytes = bytes_of("whole");
		}
		int fd;

		shell("cp whole program");
		fd = open("program", O_WRONLY);
		for (long k = 1 << random() % 10; k > 0; k--) {
			long at = random() % (random() % 8 ? n_bytes : 64);
			char byte = (char)(random() % 4 ? random() : -(random() % 2));

			assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		}
		close(fd);
		scene_declare(&scene, i % 2);
		ask_all(&scene);
	}
	names_free(scene.names);
}

/* Nobody asks a server, even where the environment names one and libdw could. */
NAMES_TEST(test_no_network)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	socklen_t n_bytes = sizeof(address);
	struct scene scene;
	char url[64];

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(server, (void *)&address, n_bytes) || listen(server, 4) ||
	    getsockname(server, (void *)&address, &n_bytes))
		skip();
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/", ntohs(address.sin_port));
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_TIMEOUT", "1", 1);
	setenv("DEBUGINFOD_CACHE_PATH", "elsewhere", 1);
	split_off("-g", "away", 0);
	scene_run(&scene);
	scene_declare(&scene, 1);
	expect_nothing(&scene, "call");
	assert_int_equal(accept(server, NULL, NULL), -1);
	unsetenv("DEBUGINFOD_URLS");
	names_free(scene.names);
	close(server);
}

int main(void)
{
	return scene_all();
}
