/* SPDX-License-Identifier: MIT */
/* json.h - the report as one line of JSON, the interface that scripts rely on (tptrace-report(1)).
 */
#pragma once

#include <stdio.h>
#include "tools/export/summary.h"

void json_report(FILE *out, const struct summary *summary);
