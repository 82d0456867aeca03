/* SPDX-License-Identifier: MIT */
/* fortran_test.c - symbols of gfortran 14 and flang 19. */
#include "tools/names/fortran.h"

#include "test/lib/test.h"

TEST(test_names)
{
	static const struct {
		const char *symbol, *name;
	} pairs[] = {
		{ "__shop_MOD_sell", "shop::sell" },
		{ "__shop_MOD_sell._omp_fn.0", "shop::sell" },
		{ "__big_shop_MOD_sell_2", "big_shop::sell_2" },
		{ "_QMshopPsell", "shop::sell" },
		{ "_QMshopPsell..omp_par", "shop::sell" },
		{ "_QMshopSsouthPsell", "shop::south::sell" },
		{ "_QMshopFsellPcount_2", "shop::sell::count_2" },
		{ "_QFsellB12Pcount", "sell::count" },
		{ "_QPsell", "sell" },
		{ "_QQmain", NULL },
		{ "_Q", NULL },
		{ "_QM", NULL },
		{ "_QB1", NULL },
		{ "_QMshopPsell!", NULL },
		{ "MAIN__", NULL },
		{ "sell_", NULL },
		{ "__MOD_sell", NULL },
		{ "___MOD_sell", NULL },
		{ "__shop_MOD_", NULL },
		{ "__shop_MOD_.0", NULL },
		{ "__shop_MODE_sell", NULL },
		{ "__kmpc_fork_call", NULL },
		{ "__", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char *name = fortran_name(pairs[i].symbol);

		if ((name && pairs[i].name) ? strcmp(name, pairs[i].name) : name != pairs[i].name)
			fail_msg("%s: %s", pairs[i].symbol, name ? name : "NULL");
		free(name);
	}
}
