/* SPDX-License-Identifier: MIT */
/* forecast_points.h - a row for each number of workers, on the screen and in JSON. */
#pragma once

#include "tools/model/forecast.h"
#include "tools/table/column.h"

struct table forecast_points(const struct forecast *forecast, const struct forecast_row *row);
