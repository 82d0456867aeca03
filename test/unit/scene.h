/* SPDX-License-Identifier: MIT */
/*
 * scene.h - one run of a program of names_*.c, and what names_of() says about its addresses.
 *
 * The program itself prints the addresses; what must stand there is read from its source, by the
 * comments with @.  All of it runs in a folder of its own, where `src` has the sources.  Who calls
 * scene_declare() frees scene->names; what fails fails the test.  For one thread.
 */
#pragma once

#include <stdint.h>

#include "test/lib/test.h"
#include "tools/names/names.h"

#define SPOTS_MAX 32u
#define MODULES_MAX 16u

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
__attribute__((format(printf, 1, 2))) void shell(const char *format, ...);
/* Whether there is one; says that it is skipped if not. */
int has_command(const char *name);

/* Makes ./program of names_program.c. */
void build_c(const char *flags);
/* Runs ./program, and reads what it says. */
void scene_run(struct scene *scene);
/* Names for the modules that it said, with their ids or as if they had none. */
void scene_declare(struct scene *scene, int with_build_ids);
/* Build, run, declare: what most tests begin with. */
void scene_of(struct scene *scene, const char *flags);

const struct spot *scene_spot(const struct scene *scene, const char *label);
/* The module whose path has that ending. */
struct part *scene_part(struct scene *scene, const char *ending);
struct name ask(struct scene *scene, const char *label);
/* The line of the source that has the mark "@what". */
uint32_t marked_line(const char *file, const char *what);

/* Either may be NULL. */
void expect_text(const char *label, const char *got, const char *want);
void expect_function(struct scene *scene, const char *label, const char *function);
/* file NULL: none, and no line.  `below` lines under the mark, which is the label's own. */
void expect_line(struct scene *scene, const char *label, const char *file, uint32_t below);
/* Those of names_program.c. */
void expect_functions(struct scene *scene);
void expect_lines(struct scene *scene, const char *file);
void expect_no_lines(struct scene *scene);
void expect_all(struct scene *scene);
/* The module alone is known. */
void expect_nothing(struct scene *scene, const char *label);

/* Before each test: no program, no debug files. */
int scene_clean(void **state);
#define NAMES_TEST(test) TEST_WITH(test, scene_clean, NULL)

/* Runs all tests: main()'s result, 77 where there is no gcc or no binutils. */
int scene_all(void);
