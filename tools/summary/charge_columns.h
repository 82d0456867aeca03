/* SPDX-License-Identifier: MIT */
/* charge_columns.h - columns that several tables have. */
#pragma once

#include "tools/analysis/states.h"
#include "tools/table/table.h"

#define CHARGE_COLUMN(from, field)                                                                 \
	.type = COLUMN_NS, .within = from, COLUMN_FIELD(struct charge, field), .diff = #field

/* The four components of the charge that within(table, row) finds. */
#define CHARGE_COLUMNS(within)                                                                     \
	{ "work_ns", CHARGE_COLUMN(within, work_ns) },                                             \
		{ "delay_ns", CHARGE_COLUMN(within, delay_ns) },                                   \
		{ "no_work_sched_ns", CHARGE_COLUMN(within, no_work_sched_ns) },                   \
	{                                                                                          \
		"no_work_app_ns", CHARGE_COLUMN(within, no_work_app_ns)                            \
	}
