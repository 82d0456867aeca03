/* SPDX-License-Identifier: MIT */
/* openmp.h - port.h over OpenMP: libgomp if gcc compiles it, libomp if clang does. */
#pragma once

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 16
#pragma GCC diagnostic ignored "-Wdeprecated-openmp" /* master: older compilers know no masked */
#endif

#define PORT_DEPENDS 1
#define PORT_NESTS 1

struct port_task {
	char unused; /* dependences are about its address */
};

#define PORT_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define PORT_BODY(name, type) static void name(type *at);
#define PORT_OPEN(group) int group = 0
#define PORT_CREATE(group, body, at)                                                               \
	do {                                                                                       \
		__typeof__(at) port_at = (at);                                                     \
		PORT_PRAGMA(omp task)                                                              \
		body(port_at);                                                                     \
	} while (0)
#define PORT_CREATE_AFTER(group, body, at, a, b)                                                   \
	do {                                                                                       \
		__typeof__(at) port_at = (at);                                                     \
		PORT_PRAGMA(omp task depend(in : *(a), *(b)) depend(out : *port_at))               \
		body(port_at);                                                                     \
	} while (0)
#define PORT_WAIT(group) PORT_PRAGMA(omp taskwait)
#define PORT_CLOSE(group) (void)(group)
#define PORT_RUN(call)                                                                             \
	do {                                                                                       \
		PORT_PRAGMA(omp parallel)                                                          \
		PORT_PRAGMA(omp master)                                                            \
		call;                                                                              \
	} while (0)

static inline void port_start(void)
{
}

static inline void port_stop(void)
{
}

static inline void port_counts(void)
{
}
