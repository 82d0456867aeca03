/* SPDX-License-Identifier: MIT */
/*
 * names_test.c - builds names_program.c in many ways, runs it, and asks names_of() about it.
 *
 * The program itself prints the addresses; what must stand there is read from its source, by
 * the comments with @.  Needs gcc and binutils, and skips if they aren't there.
 */
#define _GNU_SOURCE 1 /* asprintf() */
#include "tools/names/names.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/lib/unit.h"

#define SPOTS_MAX 32u
#define MODULES_MAX 16u
#define CORRUPT_FILES 300u

struct spot {
	char label[64];
	uint64_t address;
	int is_return_address;
};

struct part {
	uint64_t start, end, bias;
	char build_id[129], path[1024];
};

/* The output of one run of a program. */
struct scene {
	struct spot spot[SPOTS_MAX];
	struct part part[MODULES_MAX];
	uint32_t n_spots, n_parts;
	struct names *names;
};

/* Runs a command in the temporary directory. */
__attribute__((format(printf, 1, 2))) static void shell(const char *format, ...)
{
	char *command;
	va_list args;

	va_start(args, format);
	assert_true(vasprintf(&command, format, args) >= 0);
	va_end(args);
	if (system(command))
		fail_msg("failed: %s", command);
	free(command);
}

static int has_command(const char *name)
{
	char command[64];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", name);
	if (!system(command))
		return 1;
	print_message("skip names_test, what needs %s: not installed\n", name);
	return 0;
}

static void build_c(const char *flags)
{
	shell("gcc -fopenmp %s src/names_program.c names_report.o -o program -L. "
	      "-lnames_library -Wl,-rpath,$PWD -ldl",
	      flags);
}

static void scene_read(struct scene *scene, FILE *in)
{
	char line[2048];

	while (fgets(line, sizeof(line), in)) {
		struct spot *spot = &scene->spot[scene->n_spots];
		struct part *part = &scene->part[scene->n_parts];

		assert_true(scene->n_spots < SPOTS_MAX && scene->n_parts < MODULES_MAX);
		if (sscanf(line, "at %63s %lx %d", spot->label, &spot->address,
			   &spot->is_return_address) == 3)
			scene->n_spots++;
		else if (sscanf(line, "module %lx %lx %lx %128s %1023s", &part->start, &part->end,
				&part->bias, part->build_id, part->path) == 5)
			scene->n_parts++;
		else
			fail_msg("not understood: %s", line);
	}
}

static void scene_run(struct scene *scene)
{
	FILE *in = popen("./program", "r");

	memset(scene, 0, sizeof(*scene));
	assert_non_null(in);
	scene_read(scene, in);
	assert_int_equal(pclose(in), 0);
	assert_true(scene->n_spots > 4 && scene->n_parts > 2);
}

static void scene_declare(struct scene *scene, int with_build_ids)
{
	names_free(scene->names);
	assert_int_equal(names_open(&scene->names), 0);
	for (uint32_t i = 0; i < scene->n_parts; i++) {
		const struct part *part = &scene->part[i];
		int is_known = with_build_ids && part->build_id[0] != '-';

		assert_int_equal(names_module(scene->names, part->start, part->end, part->bias,
					      part->path, is_known ? part->build_id : ""),
				 0);
	}
}

/* Build, run, declare: what most tests begin with. */
static void scene_of(struct scene *scene, const char *flags)
{
	build_c(flags);
	scene_run(scene);
	scene_declare(scene, 1);
}

static const struct spot *spot_of(const struct scene *scene, const char *label)
{
	for (uint32_t i = 0; i < scene->n_spots; i++)
		if (!strcmp(scene->spot[i].label, label))
			return &scene->spot[i];
	fail_msg("the program said nothing of %s", label);
	return NULL;
}

static struct part *part_of(struct scene *scene, const char *ending)
{
	for (uint32_t i = 0; i < scene->n_parts; i++) {
		char *path = scene->part[i].path;

		if (strlen(path) >= strlen(ending) &&
		    !strcmp(path + strlen(path) - strlen(ending), ending))
			return &scene->part[i];
	}
	fail_msg("no module %s", ending);
	return NULL;
}

static struct name ask(struct scene *scene, const char *label)
{
	const struct spot *spot = spot_of(scene, label);

	return names_of(scene->names, spot->address, spot->is_return_address);
}

/* The line of the source that has the mark "@what". */
static uint32_t marked_line(const char *file, const char *what)
{
	char line[256], mark[64];
	FILE *in = fopen(file, "r");

	assert_non_null(in);
	snprintf(mark, sizeof(mark), "/* @%s */", what);
	for (uint32_t n = 1; fgets(line, sizeof(line), in); n++)
		if (strstr(line, mark)) {
			fclose(in);
			return n;
		}
	fail_msg("no %s in %s", mark, file);
	return 0;
}

static void expect_text(const char *label, const char *got, const char *want)
{
	if ((got && want) ? strcmp(got, want) : got != want)
		fail_msg("%s: %s, not %s", label, got ? got : "NULL", want ? want : "NULL");
}

static void expect_function(struct scene *scene, const char *label, const char *function)
{
	struct name name = ask(scene, label);

	expect_text(label, name.function, function);
	assert_non_null(name.module);
	assert_true(name.offset > 0);
}

/* file NULL: none, and no line.  `below` lines under the mark, which is the label's own. */
static void expect_line(struct scene *scene, const char *label, const char *file, uint32_t below)
{
	struct name name = ask(scene, label);
	const char *source = strstr(file ? file : "", "library") ? "src/names_library.c"
			     : strstr(file ? file : "", "cxx")	 ? "src/names_cxx.c"
							       : "src/names_program.c";

	expect_text(label, name.file, file);
	if (!file)
		assert_int_equal(name.line, 0);
	else if (name.line != marked_line(source, label) + below)
		fail_msg("%s: line %u, not %u", label, name.line,
			 marked_line(source, label) + below);
}

static void expect_functions(struct scene *scene)
{
	expect_function(scene, "call", "caller");
	expect_function(scene, "caller", "caller");
	expect_function(scene, "created", "tasks");
	expect_function(scene, "task", "tasks");
	expect_function(scene, "in_task", "tasks");
	expect_function(scene, "copied_task", "tasks");
	expect_function(scene, "copy", "tasks");
}

static void expect_lines(struct scene *scene, const char *file)
{
	expect_line(scene, "call", file, 0);
	expect_line(scene, "inlined", file, 0);
	expect_line(scene, "caller", file, 1);
	expect_line(scene, "jumps", file, 1); /* gcc: a function begins at its brace */
	expect_line(scene, "task", file, 0);
	expect_line(scene, "copied_task", file, 0);
	expect_line(scene, "in_task", file, 0);
}

static void expect_no_lines(struct scene *scene)
{
	expect_function(scene, "inlined", "caller");
	expect_line(scene, "call", NULL, 0);
	expect_line(scene, "task", NULL, 0);
}

static void expect_all(struct scene *scene)
{
	expect_functions(scene);
	expect_function(scene, "inlined", "inlined");
	expect_lines(scene, "src/names_program.c");
	assert_null(names_stale(scene->names, 0));
}

static void expect_nothing(struct scene *scene, const char *label)
{
	struct name name = ask(scene, label);
	const struct part *part = part_of(scene, "/program");

	assert_null(name.function);
	assert_null(name.file);
	assert_int_equal(name.line, 0);
	assert_string_equal(name.module, part->path);
	assert_int_equal(name.offset, spot_of(scene, label)->address - part->bias);
}

/* After the call comes inlined code, so that several rows stand at the address. */
static void expect_innermost(struct scene *scene)
{
	struct name name = names_of(scene->names, spot_of(scene, "call")->address, 0);

	expect_text("after the call", name.function, "inlined");
	assert_int_equal(name.line, marked_line("src/names_program.c", "inlined"));
}

static void test_debug_info(void **state)
{
	static const char *const flags[] = {
		"-g",
		"-g -O2",
		"-g -gdwarf-4 -O2",
		"-g -Os", /* functions follow one another without padding */
		"-g -no-pie",
		"-g -gz",
		"-g -gz=zlib-gnu",
		"-g -O2 -ffunction-sections -Wl,--gc-sections",
		"-g -fuse-ld=gold",
		"-g -gsplit-dwarf",
		"-g -gsplit-dwarf -O2 -ffunction-sections",
		"-g -gsplit-dwarf -gdwarf-4 -O2",
		"-g -gdwarf-3 -gstrict-dwarf -O2",
	};
	struct scene scene;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (strstr(flags[i], "gold") && !has_command("ld.gold"))
			continue;
		print_message("[ %s ]\n", flags[i]);
		build_c(flags[i]);
		shell("objcopy -w --strip-symbol='*' program"); /* so that DWARF must do */
		scene_run(&scene);
		scene_declare(&scene, 1);
		expect_all(&scene);
		expect_function(&scene, "cold", "parts");
		expect_line(&scene, "cold", "src/names_program.c", 0);
		expect_innermost(&scene);
		names_free(scene.names);
	}
}

static void test_lto(void **state)
{
	struct scene scene;

	scene_of(&scene, "-g -flto -O1");
	expect_functions(&scene);
	expect_lines(&scene, "src/names_program.c");
	names_free(scene.names);
}

static void test_absolute_path(void **state)
{
	char cwd[PATH_MAX], file[PATH_MAX + 32];
	struct scene scene;

	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(file, sizeof(file), "%s/names_program.c", cwd);
	shell("gcc -g -fopenmp $PWD/names_program.c names_report.o -o program -L. "
	      "-lnames_library -Wl,-rpath,$PWD -ldl");
	scene_run(&scene);
	scene_declare(&scene, 1);
	expect_line(&scene, "call", file, 0);
	names_free(scene.names);
	shell("gcc -fopenmp -g names_program.c names_report.o -o program -L. -lnames_library "
	      "-Wl,-rpath,$PWD -ldl");
	scene_run(&scene);
	scene_declare(&scene, 1);
	expect_line(&scene, "call", "names_program.c", 0);
	names_free(scene.names);
	scene_of(&scene, "-g -include $PWD/src/names_library.c");
	snprintf(file, sizeof(file), "%s/src/names_library.c", cwd);
	expect_line(&scene, "call", "src/names_program.c", 0);
	expect_line(&scene, "library_work", file, 1);
	names_free(scene.names);
}

static void test_missing_dwo(void **state)
{
	struct scene scene;

	scene_of(&scene, "-g -gsplit-dwarf");
	shell("rm *.dwo");
	expect_functions(&scene); /* of .symtab */
	assert_int_equal(ask(&scene, "call").line, marked_line("src/names_program.c", "call"));
	names_free(scene.names);
}

static void test_symtab_only(void **state)
{
	struct scene scene;

	scene_of(&scene, "-g0 -O2");
	expect_functions(&scene);
	expect_no_lines(&scene);
	names_free(scene.names);
}

/* The offset according to nm. */
static uint64_t nm_of(const char *symbol)
{
	char command[128];
	uint64_t value = 0;
	FILE *in;

	snprintf(command, sizeof(command), "nm program | grep ' %s$'", symbol);
	in = popen(command, "r");
	assert_non_null(in);
	assert_int_equal(fscanf(in, "%lx", &value), 1);
	pclose(in);
	return value;
}

static void test_stripped(void **state)
{
	static const char *const flags[] = { "-g", "-g -no-pie" };
	struct scene scene;
	uint64_t offset;

	for (int i = 0; i < 2; i++) {
		build_c(flags[i]);
		offset = nm_of("caller");
		shell("strip -s program");
		scene_run(&scene);
		scene_declare(&scene, 1);
		expect_nothing(&scene, "call");
		expect_nothing(&scene, "caller");
		assert_int_equal(ask(&scene, "caller").offset, offset);
		names_free(scene.names);
	}
}

static void test_library(void **state)
{
	struct scene scene;

	scene_of(&scene, "-g0");
	expect_function(&scene, "library_work", "library_work");
	expect_function(&scene, "library_hidden_begin", "library_hidden");
	expect_line(&scene, "library_work", "src/names_library.c", 1);
	assert_string_equal(ask(&scene, "library_work").module,
			    part_of(&scene, "/libnames_library.so")->path);
	names_free(scene.names);
}

/* In .dynsym alone there's no static function, and no other may stand in for it. */
static void test_stripped_library(void **state)
{
	struct scene scene;

	shell("cp libnames_library.so whole.so && strip -s libnames_library.so");
	scene_of(&scene, "-g0");
	expect_function(&scene, "library_work", "library_work");
	expect_function(&scene, "library_hidden_begin", NULL);
	expect_function(&scene, "library_hidden", "library_work");
	expect_line(&scene, "library_work", NULL, 0);
	names_free(scene.names);
	shell("mv whole.so libnames_library.so");
}

static void test_mini_debug(void **state)
{
	struct scene scene;

	if (!has_command("xz"))
		skip();
	build_c("-g");
	shell("objcopy -S program mini && nm program | awk '{print $NF}' >keep && "
	      "objcopy -S --keep-symbols=keep program mini && xz -f mini && "
	      "objcopy -S --add-section .gnu_debugdata=mini.xz program && ! nm program 2>&1 | "
	      "grep -q caller");
	scene_run(&scene);
	scene_declare(&scene, 1);
	expect_functions(&scene);
	expect_no_lines(&scene);
	names_free(scene.names);
}

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

static void test_debug_link(void **state)
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
static void test_debug_link_of_link(void **state)
{
	struct scene scene;
	struct part *part;

	split_off("-g -O2", "program.debug", 1);
	shell("rm -rf elsewhere && mkdir elsewhere && ln -s ../program elsewhere/program");
	scene_run(&scene);
	part = part_of(&scene, "/program");
	strcpy(strrchr(part->path, '/'), "/elsewhere/program");
	scene_declare(&scene, 1);
	expect_all(&scene);
	names_free(scene.names);
	shell("rm -f program.debug");
}

/* A file of the right name that isn't the right one: by its id, and by its CRC. */
static void test_wrong_debug_link(void **state)
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
static void test_debug_link_same_name(void **state)
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
	const char *id = part_of(scene, "/program")->build_id;

	shell("d=roots/b/.build-id/%.2s; mkdir -p $d && mv %s $d/%s%s", id, file, id + 2, suffix);
}

static void test_build_id(void **state)
{
	struct scene scene;

	split_off("-g", "debug", 0);
	scene_run(&scene);
	move_by_id(&scene, "debug", ".debug");
	scene_declare(&scene, 1);
	expect_nothing(&scene, "call"); /* without the path */
	setenv("TPTRACE_DEBUG_PATH", "roots/a:roots/b", 1);
	scene_declare(&scene, 1);
	expect_all(&scene);
	scene_declare(&scene, 0); /* the id of the file itself will do */
	expect_all(&scene);
	shell("mv program elsewhere.program"); /* the debug file has all that we ask */
	scene_declare(&scene, 1);
	expect_all(&scene);
	scene_declare(&scene, 0);
	expect_nothing(&scene, "call");
	unsetenv("TPTRACE_DEBUG_PATH");
	names_free(scene.names);
}

/* The file under that id has another id. */
static void test_wrong_build_id(void **state)
{
	struct scene scene;

	split_off("-g -DREBUILT", "wrong", 0);
	split_off("-g", "debug", 0);
	scene_run(&scene);
	move_by_id(&scene, "wrong", ".debug");
	setenv("TPTRACE_DEBUG_PATH", "roots/b", 1);
	scene_declare(&scene, 1);
	expect_nothing(&scene, "call");
	unsetenv("TPTRACE_DEBUG_PATH");
	names_free(scene.names);
}

static void test_rebuilt(void **state)
{
	struct scene scene;

	scene_of(&scene, "-g");
	shell("mv program first");
	build_c("-g -DREBUILT");
	assert_null(names_stale(scene.names, 0)); /* not met yet */
	expect_nothing(&scene, "call");
	expect_function(&scene, "library_work", "library_work");
	expect_text("stale", names_stale(scene.names, 0), part_of(&scene, "/program")->path);
	assert_null(names_stale(scene.names, 1));

	scene_declare(&scene, 0); /* nothing to compare with: believed, rightly or not */
	assert_non_null(ask(&scene, "call").function);
	assert_null(names_stale(scene.names, 0));

	move_by_id(&scene, "first", ""); /* the first is still somewhere */
	setenv("TPTRACE_DEBUG_PATH", "roots/b", 1);
	scene_declare(&scene, 1);
	expect_all(&scene);
	unsetenv("TPTRACE_DEBUG_PATH");
	names_free(scene.names);
}

static void test_not_elf(void **state)
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

static void test_truncated(void **state)
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
static void test_corrupt(void **state)
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

static void expect_cxx(struct scene *scene)
{
	expect_function(scene, "twice", "shop::box<int>::twice");
	expect_line(scene, "twice", "src/names_cxx.c", 0);
	expect_line(scene, "hidden", "src/names_cxx.c", 0);
	expect_line(scene, "lambda", "src/names_cxx.c", 0);
	expect_line(scene, "main_lambda", "src/names_cxx.c", 0);
	expect_line(scene, "local", "src/names_cxx.c", 0);
}

/* gcc tells the linkage names of what is local to the file in .symtab alone. */
static void expect_cxx_local(struct scene *scene, int is_gcc, int has_symtab)
{
	int is_short = is_gcc && !has_symtab;

	expect_function(scene, "hidden",
			is_short ? "hidden" : "shop::hidden");
	expect_function(scene, "local", is_short ? "work" : "shop::tasks()::local::work");
	if (!is_gcc)
		return;
	expect_function(scene, "lambda",
			is_short ? "shop::tasks()::{lambda}" : "shop::tasks()::{lambda #1}");
	expect_function(scene, "main_lambda",
			is_short ? "main::{lambda}" : "main::{lambda #1}");
	expect_function(scene, "task", "shop::tasks");
	assert_int_equal(ask(scene, "task").line, marked_line("src/names_cxx.c", "cxx_task"));
}

/* An answer stays the same while others are added. */
static void expect_kept(struct scene *scene, const char *label)
{
	const char *function = ask(scene, label).function;

	for (uint64_t i = 1; i < 1000; i++)
		names_of(scene->names, i, 0);
	assert_ptr_equal(ask(scene, label).function, function);
}

static void test_cxx(void **state)
{
	static const char *const compilers[] = { "g++ -fopenmp", "g++ -fopenmp -O2 -fno-ipa-cp",
						 "g++ -fopenmp -O1 -gsplit-dwarf", "clang++ -O2",
						 "clang++ -O0" };
	struct scene scene;

	for (int i = 0; i < 10; i++) {
		const char *compiler = compilers[i / 2];
		int is_gcc = compiler[0] == 'g';

		if (!has_command(is_gcc ? "g++" : "clang++"))
			continue;
		print_message("[ %s%s ]\n", compiler, i % 2 ? ", no symbols" : "");
		shell("%s -g -Wno-unknown-pragmas -x c++ src/names_cxx.c -x none names_report.o "
		      "-o program -ldl",
		      compiler);
		if (i % 2)
			shell("objcopy -w --strip-symbol='*' program");
		scene_run(&scene);
		scene_declare(&scene, 1);
		expect_cxx(&scene);
		expect_cxx_local(&scene, is_gcc, i % 2 == 0);
		expect_kept(&scene, "twice");
		names_free(scene.names);
	}
}

static void test_fortran(void **state)
{
	struct names *names;
	struct name name;
	uint64_t at;

	if (!has_command("gfortran"))
		skip();
	shell("printf 'module m\ncontains\nsubroutine work(n)\ninteger :: n\nprint *, n\n"
	      "end subroutine\nend module\nuse m\ncall work(3)\nend\n' >program.f90 && "
	      "gfortran -g -no-pie program.f90 -o program");
	at = nm_of("__m_MOD_work");
	shell("objcopy -w --strip-symbol='*' program");
	assert_int_equal(names_open(&names), 0);
	assert_int_equal(names_module(names, 1, 1u << 30, 0, "program", ""), 0);
	name = names_of(names, at, 0);
	expect_text("fortran", name.function, "work");
	expect_text("fortran", name.file, "program.f90");
	assert_int_equal(name.line, 3);
	names_free(names);
}

/* Nobody asks a server, even where the environment names one and libdw could. */
static void test_no_network(void **state)
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

/* Symbols that have no size, and a label within one that has. */
static void test_assembler(void **state)
{
	static const char source[] = ".text\n.globl first, main, third\n"
				     "first: .byte 0, 0\n"
				     ".type main, %%function\n.type inner, %%function\n"
				     "main: .byte 0\nlabel: .byte 0, 0\n"
				     "inner: .byte 0, 0\n.size inner, . - inner\n"
				     ".byte 0\n.size main, . - main\n.byte 0\n"
				     "third: .byte 0, 0\n"
				     ".section .note.GNU-stack\n";
	static const char *const want[] = { "first", "first", "main", "main", "main",
					    "inner", "inner", "main", NULL,   "third" };
	struct names *names;
	uint64_t at;

	shell("printf '%s' >a.s && gcc -no-pie a.s -o program", source);
	at = nm_of("first");
	assert_int_equal(names_open(&names), 0);
	assert_int_equal(names_module(names, 1, 1u << 30, 0, "program", ""), 0);
	for (uint64_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		expect_text("assembler", names_of(names, at + i, 0).function, want[i]);
	assert_string_equal(names_of(names, at + 8, 1).function, "main");
	names_free(names);
}

static void test_vdso(void **state)
{
	struct scene scene;

	scene_of(&scene, "-g0");
	if (!getauxval(AT_SYSINFO_EHDR)) { /* as under valgrind */
		names_free(scene.names);
		skip();
	}
	expect_function(&scene, "vdso", "clock_gettime");
	scene_declare(&scene, 0); /* could be another kernel's */
	expect_function(&scene, "vdso", NULL);
	names_free(scene.names);
}

/* Modules and answers, without any file. */
static void test_modules(void **state)
{
	struct names *names;
	struct name name;

	assert_int_equal(names_open(&names), 0);
	assert_int_equal(names_module(names, 5, 5, 0, "x", ""), -EINVAL);
	assert_int_equal(names_module(names, 5, 6, 0, "x", "abc"), -EINVAL);
	assert_int_equal(names_module(names, 5, 6, 0, "x", "0g"), -EINVAL);
	assert_int_equal(names_module(names, 100, 200, 90, "/none/a", "ABCDEF00"), 0);
	name = names_of(names, 100, 0);
	assert_string_equal(name.module, "/none/a");
	assert_int_equal(name.offset, 10);
	assert_null(names_of(names, 99, 0).module);
	assert_null(names_of(names, 200, 0).module);
	assert_null(names_of(names, 100, 1).module);
	assert_int_equal(names_of(names, 200, 1).offset, 110);
	assert_null(names_of(names, 0, 1).module);
	assert_null(names_of(names, UINT64_MAX, 0).module);
	assert_string_equal(names_of(names, 155, 0).module, "/none/a");
	assert_int_equal(names_module(names, 150, 160, 0, "/none/b", ""), 0);
	assert_string_equal(names_of(names, 155, 0).module, "/none/b"); /* not the old answer */
	assert_string_equal(names_of(names, 160, 0).module, "/none/a");
	assert_int_equal(names_module(names, 150, 152, 0, "/none/c", ""), 0);
	assert_string_equal(names_of(names, 151, 0).module, "/none/c");
	assert_string_equal(names_of(names, 155, 0).module, "/none/b");
	assert_string_equal(names_in(names, 4, 155, 0).module, "/none/a"); /* the fourth call */
	assert_int_equal(names_in(names, 4, 155, 0).offset, 65);
	assert_string_equal(names_in(names, 5, 155, 0).module, "/none/b");
	assert_null(names_in(names, 6, 155, 0).module);
	assert_null(names_in(names, 1, 155, 0).module); /* which was none */
	assert_string_equal(names_of(names, 155, 0).module, "/none/b");
	for (uint64_t i = 1; i < 5000; i++)
		assert_int_equal(names_of(names, i, 0).offset,
				 i < 100 || i >= 200 || (i >= 150 && i < 160) ? i : i - 90);
	assert_null(names_stale(names, 0));
	names_free(names);
	names_free(NULL);
}

/* Once answered, the file may go. */
static void test_cached(void **state)
{
	struct scene scene;
	struct name first, again;

	build_c("-g");
	scene_run(&scene);
	scene_declare(&scene, 1);
	first = ask(&scene, "in_task");
	shell("rm program");
	again = ask(&scene, "in_task");
	assert_ptr_equal(first.function, again.function);
	assert_ptr_equal(first.file, again.file);
	expect_all(&scene);
	names_free(scene.names);
}

static int clean(void **state)
{
	unsetenv("TPTRACE_DEBUG_PATH");
	shell("rm -rf program* .debug roots elsewhere");
	return 0;
}

static int begin(void **state)
{
	char source[PATH_MAX], *dir = strdup("/tmp/names_test.XXXXXX");

	if (!dir || !realpath(__FILE__, source) || !mkdtemp(dir) || chdir(dir))
		return -1;
	*state = dir;
	shell("mkdir src && cp %s/names_*.c src && cp src/names_program.c .", dirname(source));
	shell("gcc -g -fPIC -c src/names_report.c -o names_report.o");
	shell("gcc -g -shared -fPIC src/names_library.c -o libnames_library.so");
	return 0;
}

static int end(void **state)
{
	shell("cd / && rm -rf %s", (char *)*state);
	free(*state);
	return 0;
}

#define TEST(test) cmocka_unit_test_setup(test, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_modules),
		TEST(test_debug_info),
		TEST(test_lto),
		TEST(test_absolute_path),
		TEST(test_missing_dwo),
		TEST(test_symtab_only),
		TEST(test_stripped),
		TEST(test_library),
		TEST(test_stripped_library),
		TEST(test_mini_debug),
		TEST(test_debug_link),
		TEST(test_debug_link_of_link),
		TEST(test_wrong_debug_link),
		TEST(test_debug_link_same_name),
		TEST(test_build_id),
		TEST(test_wrong_build_id),
		TEST(test_rebuilt),
		TEST(test_not_elf),
		TEST(test_truncated),
		TEST(test_corrupt),
		TEST(test_cxx),
		TEST(test_fortran),
		TEST(test_assembler),
		TEST(test_no_network),
		TEST(test_vdso),
		TEST(test_cached),
	};

	if (!has_command("gcc") || !has_command("objcopy"))
		return 77;
	return cmocka_run_group_tests(tests, begin, end) != 0;
}
