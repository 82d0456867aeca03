/* SPDX-License-Identifier: MIT */
/* sinc.h - counters of ends to come, as qthread.h. */
#pragma once

#include "qthread.h"

typedef void (*qt_sinc_op_f)(void *tgt, const void *src);
typedef struct {
	uint64_t opaque[3];
} qt_sinc_t;

void qt_sinc_init(qt_sinc_t *sinc, size_t sizeof_value, const void *initial_value, qt_sinc_op_f op,
		  size_t expect);
qt_sinc_t *qt_sinc_create(size_t sizeof_value, const void *initial_value, qt_sinc_op_f op,
			  size_t expect);
void qt_sinc_reset(qt_sinc_t *sinc, size_t expect);
void qt_sinc_fini(qt_sinc_t *sinc);
void qt_sinc_destroy(qt_sinc_t *sinc);
void qt_sinc_expect(qt_sinc_t *sinc, size_t count);
void qt_sinc_submit(qt_sinc_t *sinc, const void *value);
void qt_sinc_wait(qt_sinc_t *sinc, void *target);
