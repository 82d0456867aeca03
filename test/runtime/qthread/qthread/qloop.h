/* SPDX-License-Identifier: MIT */
/* qloop.h - loops, as qthread.h. */
#pragma once

#include "qthread.h"

typedef void (*qt_loop_f)(size_t startat, size_t stopat, void *arg);
typedef void (*qt_loopr_f)(size_t startat, size_t stopat, void *arg, void *ret);
typedef void (*qt_accum_f)(void *a, const void *b);

#define QTH_LOOP size_t start, size_t stop, qt_loop_f func, void *argptr
void qt_loop(QTH_LOOP);
void qt_loop_simple(QTH_LOOP);
void qt_loop_dc(QTH_LOOP);
void qt_loop_sinc(QTH_LOOP);
void qt_loop_balance(QTH_LOOP);
void qt_loop_balance_simple(QTH_LOOP);
void qt_loop_balance_sv(QTH_LOOP);
void qt_loop_balance_dc(QTH_LOOP);
void qt_loop_balance_sinc(QTH_LOOP);

#define QTH_ACCUM                                                                                  \
	size_t start, size_t stop, size_t size, void *out, qt_loopr_f func, void *argptr,          \
		qt_accum_f acc
void qt_loopaccum_balance(QTH_ACCUM);
void qt_loopaccum_balance_sv(QTH_ACCUM);
void qt_loopaccum_balance_sinc(QTH_ACCUM);

typedef enum { CHUNK, GUIDED, FACTORED, TIMED } qt_loop_queue_type;
typedef struct qqloop_handle_s qqloop_handle_t;
qqloop_handle_t *qt_loop_queue_create(qt_loop_queue_type type, size_t start, size_t stop,
				      size_t incr, qt_loop_f func, void *argptr);
void qt_loop_queue_setchunk(qqloop_handle_t *l, size_t chunk);
void qt_loop_queue_run(qqloop_handle_t *loop);

aligned_t qt_uint_sum(aligned_t *array, size_t length, int checkfeb);
aligned_t qt_uint_max(aligned_t *array, size_t length, int checkfeb);

static inline void qt_uint_add_acc(void *a, const void *b)
{
	*(aligned_t *)a += *(const aligned_t *)b;
}
