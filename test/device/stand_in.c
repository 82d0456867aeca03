/* SPDX-License-Identifier: MIT */
/* stand_in.c - a stand-in for libOpenCL, libcudart, libcuda and libamdhip64: each call sleeps and
 * says what it got. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* A number of all arguments, in their order. */
#define GOT(...)                                                                                   \
	got(sizeof((uintptr_t[]){ __VA_ARGS__ }) / sizeof(uintptr_t), (uintptr_t[]){ __VA_ARGS__ })
#define P(pointer) ((uintptr_t)(pointer))

static int got(size_t n, const uintptr_t *argument)
{
	unsigned sum = (unsigned)n;

	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + (unsigned)(argument[i] ^ argument[i] >> 32);
	usleep(2000);
	errno = (int)(sum % 100 + 1);
	return -(int)(sum & 0xffffff);
}

int clWaitForEvents(unsigned n, void *const *event)
{
	return GOT(n, P(event));
}

/* As a runtime that calls itself. */
int clFinish(void *queue)
{
	return clWaitForEvents(1, queue);
}

int clEnqueueReadBuffer(void *queue, void *buffer, unsigned blocking, size_t at, size_t n, void *to,
			unsigned n_wait, void *const *wait, void **event)
{
	return GOT(P(queue), P(buffer), blocking, at, n, P(to), n_wait, P(wait), P(event));
}

int clEnqueueWriteBufferRect(void *queue, void *buffer, unsigned blocking, const size_t *to,
			     const size_t *from, const size_t *region, size_t a, size_t b, size_t c,
			     size_t d, const void *host, unsigned n_wait, void *const *wait,
			     void **event)
{
	return GOT(P(queue), P(buffer), blocking, P(to), P(from), P(region), a, b, c, d, P(host),
		   n_wait, P(wait), P(event));
}

void *clEnqueueMapBuffer(void *queue, void *buffer, unsigned blocking, uint64_t flags, size_t at,
			 size_t n, unsigned n_wait, void *const *wait, void **event, int *error)
{
	*error = GOT(P(queue), P(buffer), blocking, flags, at, n, n_wait, P(wait), P(event));
	return (void *)((uintptr_t)1 << 40 | at);
}

int cudaStreamSynchronize(void *stream)
{
	return GOT(P(stream));
}

int cudaMemcpy(void *to, const void *from, size_t n, int kind)
{
	return GOT(P(to), P(from), n, (unsigned)kind);
}

int cuCtxSynchronize(void)
{
	return GOT(7);
}

int hipDeviceSynchronize(void)
{
	return GOT(8);
}
