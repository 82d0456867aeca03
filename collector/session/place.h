/* SPDX-License-Identifier: MIT */
/*
 * place.h - where a worker's chunks lie: behind struct worker a struct chunk for each (chunk.h says
 * what they mean), and then, from a page on, the chunks' slots behind each other.
 *
 *	struct worker | chunk 0 | chunk 1 | .. | slots of 0 | slots of 1 | .. | samples
 *
 * A chunk takes memory only once it is needed: the first `n_chunks` of them have some.
 */
#pragma once

#include "collector/session/ring.h"

/* What the words mean, and who may change which: chunk.h. */
struct chunk {
	_Alignas(64) _Atomic uint64_t word;
	/* the worker's, before it is its to fill; constant then */
	_Atomic uint64_t first;	    /* number of the first event that it stands for */
	_Atomic uint64_t made;	    /* events that its first n_thinned slots stand for */
	_Atomic uint32_t n_thinned; /* the other slots have one event each */
	_Atomic uint64_t end;	    /* number behind its last event, once it is full */
	/* the collector's */
	_Alignas(64) struct checkpoint before; /* if its number is `first` */
};

static inline struct chunk *chunk_at(struct worker *worker, uint32_t i)
{
	return (struct chunk *)(worker + 1) + i;
}

/* Bytes before the first chunk's slots: in whole pages, whatever their size. */
static inline size_t chunk_head_bytes(const struct chunk_sizes *sizes)
{
	size_t bytes = sizeof(struct worker) + sizes->n * sizeof(struct chunk);

	return (bytes + WORKER_PAGE - 1) / WORKER_PAGE * WORKER_PAGE;
}

/* Where a chunk's slots are, in whatever process. */
static inline struct wire_event *chunk_slots(struct worker *worker, const struct chunk_sizes *sizes,
					     uint32_t i)
{
	return (struct wire_event *)((char *)worker + chunk_head_bytes(sizes)) +
	       (size_t)i * sizes->slots;
}

/* Bytes before what lies behind all slots. */
static inline size_t chunk_end_bytes(const struct chunk_sizes *sizes)
{
	return chunk_head_bytes(sizes) +
	       (size_t)sizes->n * sizes->slots * sizeof(struct wire_event);
}

/* Bytes of its place in the session's memory. */
static inline size_t worker_place(const struct chunk_sizes *sizes)
{
	return chunk_end_bytes(sizes) + sizes->sample_bytes;
}
