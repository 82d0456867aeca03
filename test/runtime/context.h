/* SPDX-License-Identifier: MIT */
/*
 * context.h - where a thread stands while another one runs on its OS thread.
 *
 * Nothing here locks: a context is its owner's, who lets nobody switch to it before it is left.
 */
#pragma once

#include <stddef.h>

#if !defined(__x86_64__) || defined(ULT_UCONTEXT)
#include <ucontext.h>
#define CONTEXT_UCONTEXT
#endif

struct context {
#if defined(CONTEXT_UCONTEXT)
	ucontext_t uc;
#else
	void *stack_pointer;
#endif
};

/* Keeps what a call must preserve on the stack that it leaves, and goes on with `to`. */
__attribute__((visibility("hidden"))) void context_switch(struct context *from,
							  const struct context *to);
/* The first switch to it calls entry(), which must not return, on that stack. */
__attribute__((visibility("hidden"))) void context_make(struct context *context, char *stack,
							size_t bytes, void (*entry)(void));
