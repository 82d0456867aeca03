/* SPDX-License-Identifier: MIT */
/* collapse_detail.h - events without a time, which say more about others. */
#pragma once

#include "collector/collapse/collapse_state.h"

/* Takes the untimed event at hand. */
void collapse_detail(struct collapse *c, const struct wire_event *event);
