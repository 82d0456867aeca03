/* SPDX-License-Identifier: MIT */
/*
 * fortran.c - reads symbols of gfortran [trans-decl.cc, gfc_sym_mangled_function_id()] and of flang
 * [flang/Optimizer/Support/InternalNames.cpp].  Fortran's names have no case, and the compilers
 * write them in small letters: a capital is theirs.
 */
#include "tools/names/fortran.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "abcdefghijklmnopqrstuvwxyz0123456789_"

/* __MODULE_MOD_PROCEDURE */
static char *of_gfortran(const char *symbol)
{
	static const char mark[] = "_MOD_";
	const char *module = symbol + 2;
	size_t n = strspn(module, NAME);
	/* the mark's first _ is a name's, too */
	const char *procedure = module + n + sizeof(mark) - 2;
	char *text;

	if (n < 2 || strncmp(module + n - 1, mark, sizeof(mark) - 1) != 0)
		return NULL;
	n--;
	if (strspn(procedure, NAME) == 0 || asprintf(&text, "%.*s::%.*s", (int)n, module,
						     (int)strspn(procedure, NAME), procedure) < 0)
		return NULL;
	return text;
}

/* _Q, and a capital before each name: Module, Submodule, Function around it, Procedure; Bn: a
 * block. */
static char *of_flang(const char *symbol)
{
	char *text = malloc(2 * strlen(symbol) + 1), *to = text;
	const char *at = symbol + 2;
	size_t n = 1;

	while (text && *at && strchr("MSFPB", *at) && (n = strspn(at + 1, NAME)) > 0) {
		if (*at != 'B')
			to += sprintf(to, "%s%.*s", to > text ? "::" : "", (int)n, at + 1);
		at += 1 + n;
	}
	if (text && (to == text || (*at && *at != '.'))) {
		free(text);
		return NULL;
	}
	return text;
}

char *fortran_name(const char *symbol)
{
	if (!strncmp(symbol, "__", 2))
		return of_gfortran(symbol);
	return strncmp(symbol, "_Q", 2) ? NULL : of_flang(symbol);
}
