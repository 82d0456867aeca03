/* SPDX-License-Identifier: MIT */
/* mpi_wrap.c - the wrappers: of each function C's, and those of Fortran's two bindings. */
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
#define BEGINNING(name_, lower, n_, does_, ...) FUNCTION(name_, lower, n_, does_, .rule = 0)
MPI_BEGINNING(BEGINNING)
MPI_FUNCTIONS(FUNCTION)

#define FROM __builtin_return_address(0)

/* The error is optional with mpi_f08.  [MPI 4.0, 19.1]  Behind it are lengths of up to two strings;
 * where there are none, words that nobody reads. */
#define FORTRAN(binding, lower, n, symbol, as)                                                     \
	CALL_EXPORT void mpi_##binding##_##lower(BEFORE(EACH_##n(MORE)) int *, word,               \
						 word) __asm__(symbol);                            \
	CALL_EXPORT void mpi_##binding##_##lower(BEFORE(EACH_##n(MORE)) int *given, word length,   \
						 word next_length)                                 \
	{                                                                                          \
		static void *_Atomic slot;                                                         \
		word a[] = { BEFORE(NAMES(n)) 0 };                                                 \
		int not_wanted, *error = given ? given : &not_wanted;                              \
		struct mpi_call call;                                                              \
		void (*function)(BEFORE(EACH_##n(MORE)) int *, word, word) =                       \
			next_at(&slot, symbol, FROM, mpi_bind);                                    \
                                                                                                   \
		mpi_begin(&call, &function_##lower, a, as, FROM);                                  \
		function(BEFORE(EACH_##n(GIVEN)) error, length, next_length);                      \
		mpi_end(&call, *error);                                                            \
	}

#define C_WRAPPER(lower, n, symbol, table, binding)                                                \
	CALL_EXPORT int mpi_##lower(WORDS(n)) __asm__(symbol);                                     \
	CALL_EXPORT int mpi_##lower(WORDS(n))                                                      \
	{                                                                                          \
		static void *_Atomic slot;                                                         \
		word a[] = { BEFORE(NAMES(n)) 0 };                                                 \
		struct mpi_call call;                                                              \
		int (*function)(WORDS(n)) = next_at(&slot, symbol, FROM, mpi_bind);                \
                                                                                                   \
		mpi_begin(&call, &table, a, binding, FROM);                                        \
		int error = function(EACH_##n(GIVEN));                                             \
                                                                                                   \
		mpi_end(&call, error);                                                             \
		return error;                                                                      \
	}

#define BEGINS(name, lower, n, does, in_fortran)                                                   \
	C_WRAPPER(c_##lower, n, "MPI_" #name, function_##lower, MPI_C)                             \
	FORTRAN(f, lower, in_fortran, "mpi_" #lower "_", MPI_FORTRAN)                              \
	FORTRAN(f08, lower, in_fortran, "mpi_" #lower "_f08_", MPI_FORTRAN)                        \
	FORTRAN(f08ts, lower, in_fortran, "mpi_" #lower "_f08ts_", MPI_FORTRAN)
#define WRAPPER(name, lower, n, does, ...) BEGINS(name, lower, n, does, n)
MPI_BEGINNING(BEGINS)
MPI_FUNCTIONS(WRAPPER)

#define LARGE_WRAPPER(name, lower, n, ...)                                                         \
	C_WRAPPER(large_##lower, n, "MPI_" #name "_c", function_##lower, MPI_C_LARGE)              \
	FORTRAN(f08_large, lower, n, "mpi_" #lower "_f08_large_", MPI_FORTRAN_LARGE)               \
	FORTRAN(f08ts_large, lower, n, "mpi_" #lower "_f08ts_large_", MPI_FORTRAN_LARGE)
MPI_LARGE_FUNCTIONS(LARGE_WRAPPER)
