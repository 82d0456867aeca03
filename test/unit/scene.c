/* SPDX-License-Identifier: MIT */
/* scene.c - builds names_program.c, runs it, and reads what it says about itself. */
#define _GNU_SOURCE 1 /* asprintf() */
#include "test/unit/scene.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Runs a command in the temporary directory. */
void shell(const char *format, ...)
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

int has_command(const char *name)
{
	char command[64];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", name);
	if (!system(command))
		return 1;
	print_message("skip names_test, what needs %s: not installed\n", name);
	return 0;
}

void build_c(const char *flags)
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

void scene_run(struct scene *scene)
{
	FILE *in = popen("./program", "r");

	memset(scene, 0, sizeof(*scene));
	assert_non_null(in);
	scene_read(scene, in);
	assert_int_equal(pclose(in), 0);
	assert_true(scene->n_spots > 4 && scene->n_parts > 2);
}

void scene_declare(struct scene *scene, int with_build_ids)
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
void scene_of(struct scene *scene, const char *flags)
{
	build_c(flags);
	scene_run(scene);
	scene_declare(scene, 1);
}

const struct spot *scene_spot(const struct scene *scene, const char *label)
{
	for (uint32_t i = 0; i < scene->n_spots; i++)
		if (!strcmp(scene->spot[i].label, label))
			return &scene->spot[i];
	fail_msg("the program said nothing of %s", label);
	return NULL;
}

struct part *scene_part(struct scene *scene, const char *ending)
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

struct name ask(struct scene *scene, const char *label)
{
	const struct spot *spot = scene_spot(scene, label);

	return names_of(scene->names, spot->address, spot->is_return_address);
}

/* The line of the source that has the mark "@what". */
uint32_t marked_line(const char *file, const char *what)
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

void expect_text(const char *label, const char *got, const char *want)
{
	if ((got && want) ? strcmp(got, want) : got != want)
		fail_msg("%s: %s, not %s", label, got ? got : "NULL", want ? want : "NULL");
}

void expect_function(struct scene *scene, const char *label, const char *function)
{
	struct name name = ask(scene, label);

	expect_text(label, name.function, function);
	assert_non_null(name.module);
	assert_true(name.offset > 0);
}

/* file NULL: none, and no line.  `below` lines under the mark, which is the label's own. */
void expect_line(struct scene *scene, const char *label, const char *file, uint32_t below)
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

void expect_functions(struct scene *scene)
{
	expect_function(scene, "call", "caller");
	expect_function(scene, "caller", "caller");
	expect_function(scene, "created", "tasks");
	expect_function(scene, "task", "tasks");
	expect_function(scene, "in_task", "tasks");
	expect_function(scene, "copied_task", "tasks");
	expect_function(scene, "copy", "tasks");
}

void expect_lines(struct scene *scene, const char *file)
{
	expect_line(scene, "call", file, 0);
	expect_line(scene, "inlined", file, 0);
	expect_line(scene, "caller", file, 1);
	expect_line(scene, "jumps", file, 1); /* gcc: a function begins at its brace */
	expect_line(scene, "task", file, 0);
	expect_line(scene, "copied_task", file, 0);
	expect_line(scene, "in_task", file, 0);
}

void expect_no_lines(struct scene *scene)
{
	expect_function(scene, "inlined", "caller");
	expect_line(scene, "call", NULL, 0);
	expect_line(scene, "task", NULL, 0);
}

void expect_all(struct scene *scene)
{
	expect_functions(scene);
	expect_function(scene, "inlined", "inlined");
	expect_lines(scene, "src/names_program.c");
	assert_null(names_stale(scene->names, 0));
}

void expect_nothing(struct scene *scene, const char *label)
{
	struct name name = ask(scene, label);
	const struct part *part = scene_part(scene, "/program");

	assert_null(name.function);
	assert_null(name.file);
	assert_int_equal(name.line, 0);
	assert_string_equal(name.module, part->path);
	assert_int_equal(name.offset, scene_spot(scene, label)->address - part->bias);
}

int scene_clean(void **state)
{
	unsetenv("TPTRACE_DEBUG_PATH");
	shell("rm -rf program* .debug roots elsewhere");
	return 0;
}

/* The folder of this run, with all that is built but programs; NULL if there is none. */
static char *scene_begin(void)
{
	char source[PATH_MAX], *dir = strdup("/tmp/names_test.XXXXXX");

	if (!dir || !realpath(__FILE__, source) || !mkdtemp(dir) || chdir(dir)) {
		free(dir);
		return NULL;
	}
	shell("mkdir src && cp %s/names_*.c src && cp src/names_program.c .", dirname(source));
	shell("gcc -g -fPIC -c src/names_report.c -o names_report.o");
	shell("gcc -g -shared -fPIC src/names_library.c -o libnames_library.so");
	return dir;
}

int scene_all(void)
{
	char *dir;
	int rc;

	if (!has_command("gcc") || !has_command("objcopy"))
		return 77;
	dir = scene_begin();
	if (!dir)
		return 1;
	rc = test_all();
	shell("cd / && rm -rf %s", dir);
	free(dir);
	return rc != 0;
}
