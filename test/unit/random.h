/* SPDX-License-Identifier: MIT */
/* random.h - numbers that are the same in every run, so that a failure comes again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state; /* the seed, at first */
};

/* 64 bits [splitmix64, Steele et al. 2014] */
static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* 0..n-1; n is at least 1 */
static inline uint64_t random_below(struct random *random, uint64_t n)
{
	return random_next(random) % n;
}

static inline bool random_one_in(struct random *random, uint64_t n)
{
	return random_below(random, n) == 0;
}

/* A number of up to that many bits, each count of bits as likely as another. */
static inline uint64_t random_wide(struct random *random, unsigned bits)
{
	unsigned n = (unsigned)random_below(random, bits + 1);

	return n ? random_next(random) >> (64 - n) : 0;
}

/* A number that code is likely to get wrong. */
static inline uint64_t random_extreme(struct random *random)
{
	static const uint64_t some[] = { 0,
					 1,
					 2,
					 0x7f,
					 0x80,
					 0xff,
					 0xffff,
					 0x10000,
					 0x7fffffff,
					 0x80000000,
					 0xffffffff,
					 UINT64_C(1) << 32,
					 UINT64_C(1) << 48,
					 INT64_MAX,
					 UINT64_C(1) << 63,
					 UINT64_MAX - 1,
					 UINT64_MAX };

	return some[random_below(random, sizeof(some) / sizeof(some[0]))];
}

/* Changes a few bytes in one of the ways that files get damaged; returns how many there are. */
static inline size_t random_damage(struct random *random, uint8_t *byte, size_t n, size_t room)
{
	for (uint64_t times = 1 + random_below(random, 4); times > 0 && n > 0; times--) {
		size_t at = (size_t)random_below(random, n);

		switch (random_below(random, 6)) {
		case 0:
			byte[at] ^= (uint8_t)(1u << random_below(random, 8));
			break;
		case 1:
			byte[at] = (uint8_t)random_next(random);
			break;
		case 2:
			byte[at] = random_one_in(random, 2) ? 0xff : 0;
			break;
		case 3: /* one goes, the rest moves up */
			for (n--; at < n; at++)
				byte[at] = byte[at + 1];
			break;
		case 4: /* one comes twice */
			if (n == room)
				break;
			for (size_t i = n++; i > at; i--)
				byte[i] = byte[i - 1];
			break;
		default: /* two change places */
			byte[n - 1 - at] ^= byte[at];
			byte[at] ^= byte[n - 1 - at];
			byte[n - 1 - at] ^= byte[at];
			break;
		}
	}
	return n;
}
