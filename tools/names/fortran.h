/* SPDX-License-Identifier: MIT */
/* fortran.h - names of Fortran's procedures, as compilers write them into symbols. */
#pragma once

/*
 * Of a procedure in a module or in another procedure, by gfortran (__shop_MOD_sell) or flang
 * (_QMshopPsell): shop::sell, malloc'd, without what the compiler appended to it.  NULL: it is no
 * such symbol, or there is no memory.
 */
char *fortran_name(const char *symbol);
