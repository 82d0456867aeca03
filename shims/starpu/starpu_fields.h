/* SPDX-License-Identifier: MIT */
/* starpu_fields.h - fields of StarPU's objects, and the names that the trace has for these. */
#pragma once

#include "shims/starpu/starpu.h"

typedef uint64_t starpu_word __attribute__((may_alias));
typedef uint32_t starpu_half __attribute__((may_alias));

static inline uint64_t starpu_word_at(const void *object, unsigned offset)
{
	return *(const starpu_word *)((const char *)object + offset);
}

static inline uint32_t starpu_half_at(const void *object, unsigned offset)
{
	return *(const starpu_half *)((const char *)object + offset);
}

static inline void *starpu_cl(const struct starpu *s, const void *task)
{
	return s->layout ? (void *)starpu_word_at(task, s->layout->cl) : NULL;
}

static inline bool starpu_flag(const struct starpu *s, const void *task, enum starpu_flag flag)
{
	return s->layout && starpu_half_at(task, s->layout->flags) >> (s->layout->flag0 + flag) & 1;
}

/* Whether the task never runs on a worker. */
bool starpu_is_empty(const struct starpu *s, const void *task) CALL_HIDDEN;

/* ---- names ---- */

/* Beside a task's or handle's own, which is aligned. */
enum starpu_name {
	STARPU_NAME_CALLBACK = 1,
	STARPU_NAME_END,
	STARPU_NAME_RELEASE,
	STARPU_NAME_CREATED, /* a key only */
};

static inline uint64_t starpu_name(const void *object, enum starpu_name name)
{
	return (uintptr_t)object + name;
}

/* 60 bits, none of them an address. */
static inline uint64_t starpu_tag_name(uint64_t tag)
{
	return (tag * 0x9e3779b97f4a7c15u) >> 5 | UINT64_C(1) << 59;
}

/* The bag of a context's tasks; what is signalled by every task that ends while somebody waits. */
static inline uint64_t starpu_bag(const struct starpu *s, uint32_t ctx)
{
	return (uintptr_t)s + ctx;
}

static inline uint64_t starpu_any_end(const struct starpu *s)
{
	return (uintptr_t)&s->n_watching;
}
