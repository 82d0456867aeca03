/* SPDX-License-Identifier: MIT */
/* mpi_wrap.c - the wrappers: of each function C's and Fortran's. */
#include "shims/common/next.h"
#include "shims/mpi/mpi.h"

#include "preload/poison.h"

/* In front of something else, and the arguments of a call as they were settled. */
#define BEFORE(...) __VA_ARGS__ __VA_OPT__(, )
#define MORE(i) word a##i
#define MORE_NONE
#define GIVEN(i) a[(i)-1]
#define GIVEN_NONE

#define FUNCTION(name_, lower, n_, does_, ...)                                                     \
	static const struct mpi_function function_##lower = {                                      \
		.name = "MPI_" #name_, .n = n_, .does = MPI_##does_, __VA_ARGS__                   \
	};
MPI_FUNCTIONS(FUNCTION)

#define FROM __builtin_return_address(0)

#define WRAPPER(name, lower, n, ...)                                                               \
	CALL_EXPORT int mpi_c_##lower(WORDS(n)) __asm__("MPI_" #name);                             \
	CALL_EXPORT int mpi_c_##lower(WORDS(n))                                                    \
	{                                                                                          \
		static void *_Atomic slot;                                                         \
		word a[] = { BEFORE(NAMES(n)) 0 };                                                 \
		struct mpi_call call = { .function = &function_##lower, .argument = a };           \
		int (*function)(WORDS(n)) = next_at(&slot, "MPI_" #name, FROM, mpi_bind);          \
                                                                                                   \
		mpi_begin(&call, FROM);                                                            \
		int error = function(EACH_##n(GIVEN));                                             \
                                                                                                   \
		mpi_end(&call, error);                                                             \
		return error;                                                                      \
	}                                                                                          \
	CALL_EXPORT void mpi_f_##lower(BEFORE(EACH_##n(MORE)) int *) __asm__("mpi_" #lower "_");   \
	CALL_EXPORT void mpi_f_##lower(BEFORE(EACH_##n(MORE)) int *error)                          \
	{                                                                                          \
		static void *_Atomic slot;                                                         \
		word a[] = { BEFORE(NAMES(n)) 0 };                                                 \
		struct mpi_call call = { .function = &function_##lower,                            \
					 .argument = a,                                            \
					 .fortran = true };                                        \
		void (*function)(BEFORE(EACH_##n(MORE)) int *) =                                   \
			next_at(&slot, "mpi_" #lower "_", FROM, mpi_bind);                         \
                                                                                                   \
		mpi_begin(&call, FROM);                                                            \
		function(BEFORE(EACH_##n(GIVEN)) error);                                           \
		mpi_end(&call, *error);                                                            \
	}
MPI_FUNCTIONS(WRAPPER)
