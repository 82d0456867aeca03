/* SPDX-License-Identifier: MIT */
/*
 * poison.h - included last by files of the hot path: what may not be called there.
 *
 * A wrapper runs between two lines of the user's program: nothing that blocks, allocates,
 * locks, formats or can be interposed.
 */
#pragma GCC poison malloc calloc realloc free printf fprintf snprintf memcpy memset memmove
#pragma GCC poison strlen strcmp open close read write pthread_mutex_lock dlopen getenv
