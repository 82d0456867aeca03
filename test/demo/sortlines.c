/* SPDX-License-Identifier: MIT */
/*
 * sortlines.c - sorts all lines of all C headers below a folder: a merge sort with OpenMP tasks,
 * as people write them.  What `make demo` records.
 */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUT_OFF 512 /* this many lines are sorted without tasks */

static char **line;
static size_t n_lines, room;

static void add_line(const char *text)
{
	if (n_lines == room) {
		room = room ? room * 2 : 4096;
		line = realloc(line, room * sizeof(*line));
	}
	if (!line || !(line[n_lines++] = strdup(text)))
		exit(1);
}

static int add_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	size_t n = strlen(path);
	char *text = NULL;
	size_t bytes = 0;
	FILE *in;

	(void)st;
	(void)ftw;
	if (type != FTW_F || n < 2 || strcmp(path + n - 2, ".h") != 0)
		return 0;
	in = fopen(path, "r");
	while (in && getline(&text, &bytes, in) >= 0)
		add_line(text);
	free(text);
	if (in)
		fclose(in);
	return 0;
}

static void merge(char **to, char **a, size_t n_a, char **b, size_t n_b)
{
	while (n_a && n_b) {
		if (strcmp(*a, *b) <= 0) {
			*to++ = *a++;
			n_a--;
		} else {
			*to++ = *b++;
			n_b--;
		}
	}
	memcpy(to, a, n_a * sizeof(*to));
	memcpy(to + n_a, b, n_b * sizeof(*to));
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_range(char **at, char **spare, size_t n)
{
	size_t half = n / 2;

	if (n <= CUT_OFF) {
		qsort(at, n, sizeof(*at), compare);
		return;
	}
#pragma omp task
	sort_range(at, spare, half);
#pragma omp task
	sort_range(at + half, spare + half, n - half);
#pragma omp taskwait
	memcpy(spare, at, n * sizeof(*at));
	merge(at, spare, half, spare + half, n - half);
}

int main(int argc, char **argv)
{
	char **spare;

	if (nftw(argc > 1 ? argv[1] : "/usr/include", add_file, 32, FTW_PHYS) < 0)
		perror(argv[1]);
	spare = malloc((n_lines + 1) * sizeof(*spare));
#pragma omp parallel
#pragma omp single
	sort_range(line, spare, n_lines);
	for (size_t i = 1; i < n_lines; i++)
		if (strcmp(line[i - 1], line[i]) > 0)
			return 1;
	printf("sorted %zu lines\n", n_lines);
	return 0;
}
