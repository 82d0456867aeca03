/* SPDX-License-Identifier: MIT */
/* qth_preconds.c - the words that a task waits for, as qthread_spawn() wants them. */
#include "shims/qth/qth_preconds.h"

#include <stdint.h>
#include <stdlib.h>

void *qth_preconds(int n, va_list words)
{
	uintptr_t n_words = n < 0 ? -(uintptr_t)n : (uintptr_t)n;
	void *const *array = n < 0 ? va_arg(words, void *const *) : NULL;
	void **all;

	if (n == 0)
		return NULL;
	all = malloc((n_words + 1) * sizeof(*all));
	if (!all)
		abort(); /* the library would use it, too */
	all[0] = (void *)n_words;
	for (uintptr_t i = 0; i < n_words; i++)
		all[i + 1] = array ? array[i] : va_arg(words, void *);
	return all;
}
