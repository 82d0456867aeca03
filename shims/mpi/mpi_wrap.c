/* SPDX-License-Identifier: MIT */
/* mpi_wrap.c - the wrappers: of each function C's and Fortran's. */
#include "shims/mpi/mpi.h"

#include "preload/poison.h"

#pragma GCC diagnostic ignored "-Wstrict-prototypes" /* WORDS_0 */

#define GIVEN_0
#define GIVEN_1 a[0]
#define GIVEN_2 GIVEN_1, a[1]
#define GIVEN_3 GIVEN_2, a[2]
#define GIVEN_4 GIVEN_3, a[3]
#define GIVEN_5 GIVEN_4, a[4]
#define GIVEN_6 GIVEN_5, a[5]
#define GIVEN_7 GIVEN_6, a[6]
#define GIVEN_8 GIVEN_7, a[7]
#define GIVEN_9 GIVEN_8, a[8]
#define GIVEN_10 GIVEN_9, a[9]
#define GIVEN_11 GIVEN_10, a[10]
#define GIVEN_12 GIVEN_11, a[11]
#define COMMA_0
#define COMMA_1 ,
#define COMMA_2 ,
#define COMMA_3 ,
#define COMMA_4 ,
#define COMMA_5 ,
#define COMMA_6 ,
#define COMMA_7 ,
#define COMMA_8 ,
#define COMMA_9 ,
#define COMMA_10 ,
#define COMMA_11 ,
#define COMMA_12 ,

#define FUNCTION(name_, lower, n_, does_, ...)                                                     \
	static const struct mpi_function function_##lower = {                                      \
		.name = "MPI_" #name_, .n = n_, .does = MPI_##does_, __VA_ARGS__                   \
	};
MPI_FUNCTIONS(FUNCTION)

static inline void *real(void *_Atomic *slot, const char *symbol, const void *from)
{
	void *found = atomic_load_explicit(slot, memory_order_acquire);

	return __builtin_expect(found != NULL, 1) ? found : mpi_bind(slot, symbol, from);
}

#define FROM __builtin_return_address(0)

#define WRAPPER(name, lower, n, ...)                                                               \
	CALL_EXPORT int mpi_c_##lower(ALONE_##n) __asm__("MPI_" #name);                            \
	CALL_EXPORT int mpi_c_##lower(ALONE_##n)                                                   \
	{                                                                                          \
		static void *_Atomic slot;                                                         \
		word a[] = { NAMES_##n COMMA_##n 0 };                                              \
		struct mpi_call call = { .function = &function_##lower, .argument = a };           \
		int (*function)(ALONE_##n) = real(&slot, "MPI_" #name, FROM);                      \
                                                                                                   \
		mpi_begin(&call, FROM);                                                            \
		int error = function(GIVEN_##n);                                                   \
                                                                                                   \
		mpi_end(&call, error);                                                             \
		return error;                                                                      \
	}                                                                                          \
	CALL_EXPORT void mpi_f_##lower(WORDS_##n COMMA_##n int *error) __asm__("mpi_" #lower "_"); \
	CALL_EXPORT void mpi_f_##lower(WORDS_##n COMMA_##n int *error)                             \
	{                                                                                          \
		static void *_Atomic slot;                                                         \
		word a[] = { NAMES_##n COMMA_##n 0 };                                              \
		struct mpi_call call = { .function = &function_##lower,                            \
					 .argument = a,                                            \
					 .fortran = true };                                        \
		void (*function)(WORDS_##n COMMA_##n int *) =                                      \
			real(&slot, "mpi_" #lower "_", FROM);                                      \
                                                                                                   \
		mpi_begin(&call, FROM);                                                            \
		function(GIVEN_##n COMMA_##n error);                                               \
		mpi_end(&call, *error);                                                            \
	}
MPI_FUNCTIONS(WRAPPER)
