/* SPDX-License-Identifier: MIT */
/*
 * load.c HOW LIBRARY - makes tasks of its own, if it has OpenMP, and of a library that it loads in
 * the way HOW; with -DLIBRARY it is that library, with -DOUTER one that calls it.
 *
 * Prints how many tasks ran, and whether the loader has an error that nobody asked for.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 20
#define TASKS 50 /* a round */

#ifdef OUTER
long inner(void);
long run(void)
{
	return inner();
}
#else
static long some_tasks(void)
{
	long done = 0;

#ifdef _OPENMP
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < TASKS; i++) {
#pragma omp task shared(done)
		{
#pragma omp atomic
			done++;
		}
	}
#endif
	return done;
}
#endif

#ifdef EARLY /* 1: a constructor that makes tasks; 0: one that makes none */
static __attribute__((constructor)) void early(void)
{
	static volatile long done;

	done = EARLY ? some_tasks() : 0;
}
#endif

#ifdef LIBRARY
long LIBRARY(void)
{
	return some_tasks();
}
#elif !defined OUTER
static void *load(const char *how, const char *path)
{
	if (strcmp(how, "plain") == 0)
		return dlopen(path, RTLD_NOW);
	if (strcmp(how, "deep") == 0)
		return dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
	if (strcmp(how, "lazily") == 0)
		return dlopen(path, RTLD_LAZY | RTLD_DEEPBIND);
	if (strcmp(how, "global") == 0)
		return dlopen(path, RTLD_NOW | RTLD_DEEPBIND | RTLD_GLOBAL);
	if (strcmp(how, "again") == 0) { /* the first time, no thread of its own runs there yet */
		dlclose(dlopen(path, RTLD_NOW | RTLD_DEEPBIND));
		return dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
	}
	if (strcmp(how, "base") == 0)
		return dlmopen(LM_ID_BASE, path, RTLD_NOW | RTLD_DEEPBIND);
	return dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
}

int main(int argc, char **argv)
{
	void *library = argc > 2 ? load(argv[1], argv[2]) : NULL;
	const char *said = dlerror();
	bool error = said;
	long (*run)(void) = library ? (long (*)(void))dlsym(library, "run") : NULL;
	long n = 0;

	for (int i = 0; i < ROUNDS; i++)
		n += some_tasks() + (run ? run() : 0);
	printf("%ld%s\n", n, error ? ", an error" : "");
	return library ? 3 : 4;
}
#endif
