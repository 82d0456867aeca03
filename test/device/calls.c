/* SPDX-License-Identifier: MIT */
/* calls.c - tasks that call the stand-in, each by a line of its own; -DLOADS: those of a plug-in,
 * the argument. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef LOADS
#include <dlfcn.h>

int main(int argc, char **argv)
{
	void *plug_in = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*run)(void) = plug_in ? (int (*)(void))dlsym(plug_in, "run") : NULL;

	return run ? run() : 1;
}

#else

#define A(n) ((void *)((uintptr_t)(n) << 33 | (n)))
int clWaitForEvents(unsigned n, void *const *event);
int clFinish(void *queue);
int clEnqueueReadBuffer(void *, void *, unsigned, size_t, size_t, void *, unsigned, void *const *,
			void **);
int clEnqueueWriteBufferRect(void *, void *, unsigned, const size_t *, const size_t *,
			     const size_t *, size_t, size_t, size_t, size_t, const void *, unsigned,
			     void *const *, void **);
void *clEnqueueMapBuffer(void *, void *, unsigned, uint64_t, size_t, size_t, unsigned,
			 void *const *, void **, int *);
int cudaStreamSynchronize(void *stream);
int cudaMemcpy(void *to, const void *from, size_t n, int kind);
int cuCtxSynchronize(void);
int hipDeviceSynchronize(void);

#define CALLS 11
static struct {
	long result;
	int error;
} said[CALLS];

/* Each in a task of its own. */
#define PASSES(n, call) _Pragma("omp task") said[n].result = (long)(call), said[n].error = errno
#define WAITS PASSES

#define READ(blocking) clEnqueueReadBuffer(A(1), A(2), blocking, 3, 4, A(5), 6, A(7), A(8))
#define WRITE                                                                                      \
	clEnqueueWriteBufferRect(A(1), A(2), 1, A(3), A(4), A(5), 6, 7, 8, 9, A(10), 11, A(12),    \
				 A(13))
#define MAP(blocking)                                                                              \
	clEnqueueMapBuffer(A(1), A(2), blocking, 3, 4, 5, 6, A(7), A(8), &error[blocking])

int run(void)
{
	int error[2] = { 0 };

	said[0].result = cuCtxSynchronize(); /* nothing runs yet */
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		WAITS(1, clFinish(A(1)));
		WAITS(2, clWaitForEvents(2, A(3)));
		WAITS(3, READ(1));
		PASSES(4, READ(0));
		WAITS(5, WRITE);
		WAITS(6, MAP(1));
		PASSES(7, MAP(0));
		WAITS(8, cudaStreamSynchronize(A(1)));
		WAITS(9, cudaMemcpy(A(1), A(2), 3, 4));
		WAITS(10, hipDeviceSynchronize());
	}
	for (int i = 0; i < CALLS; i++)
		printf("%d: %ld, errno %d\n", i, said[i].result, said[i].error);
	printf("%d %d\n", error[0], error[1]);
	return 3;
}

#ifndef PLUG_IN
int main(void)
{
	return run();
}
#endif

#endif
