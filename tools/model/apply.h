/* SPDX-License-Identifier: MIT */
/* apply.h - changes the steps of a graph; locks are left out when it is built. */
#pragma once

#include "tools/model/graph.h"
#include "tools/model/leads.h"

/* Once, after leads_build() and before graph_measure(). */
void changes_apply(struct graph *graph, const struct leads *leads, const struct changes *changes);
