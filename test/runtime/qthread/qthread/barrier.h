/* SPDX-License-Identifier: MIT */
/* barrier.h - barriers, as qthread.h. */
#pragma once

#include "qthread.h"

typedef struct qt_barrier_s qt_barrier_t;
typedef enum { REGION_BARRIER } qt_barrier_btype;

qt_barrier_t *qt_barrier_create(size_t max_threads, qt_barrier_btype type);
void qt_barrier_enter(qt_barrier_t *b);
void qt_barrier_enter_id(qt_barrier_t *b, size_t id);
void qt_barrier_destroy(qt_barrier_t *b);
