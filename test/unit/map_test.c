/* SPDX-License-Identifier: MIT */
/* map_test.c - the map does what a plain list of pairs does, and arrays grow and keep. */
#include "tools/base/map.h"

#include "test/lib/test.h"
#include "test/unit/random.h"

#define KEYS 3000u

struct pair {
	uint64_t key, value;
	bool is_there;
};

/* Keys that are alike in the ways that addresses, numbers and ids are. */
static void make_keys(struct pair *pair, uint32_t n, uint64_t step)
{
	struct random random = { step };

	for (uint32_t i = 0; i < n; i++)
		pair[i] = (struct pair){ .key = step ? i * step : random_next(&random) };
}

static void check_against(struct pair *pair, uint32_t n, uint64_t seed)
{
	struct random random = { seed };
	struct map map = { 0 };
	uint32_t n_there = 0;

	for (uint32_t i = 0; i < 40 * n; i++) {
		struct pair *one = &pair[random_below(&random, n)];
		uint64_t *found;

		if (random_one_in(&random, 3)) {
			found = map_put(&map, one->key);
			assert_non_null(found);
			assert_int_equal(*found, one->value); /* 0 if it is new */
			n_there += !one->is_there;
			one->is_there = true;
			one->value = *found = random_next(&random);
		} else {
			found = map_find(&map, one->key);
			assert_int_equal(found != NULL, one->is_there);
			assert_true(!found || *found == one->value);
		}
		assert_int_equal(map.n, n_there);
	}
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t *found = map_find(&map, pair[i].key);

		assert_true(found ? pair[i].is_there && *found == pair[i].value
				  : !pair[i].is_there);
	}
	map_free(&map);
	assert_null(map_find(&map, pair[0].key));
	assert_true(map.n == 0 && map.n_slots == 0);
	map_free(&map);
}

TEST(test_model)
{
	static const uint64_t step[] = { 0,
					 1,
					 8,
					 64,
					 4096,
					 UINT64_C(1) << 32,
					 UINT64_C(1) << 48,
					 0x9e3779b97f4a7c15u,
					 UINT64_MAX };
	static struct pair pair[KEYS];

	for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		make_keys(pair, KEYS, step[i]);
		check_against(pair, (uint32_t)(KEYS * (i + 1) / 9), i);
	}
}

TEST(test_edges)
{
	struct map map = { 0 };

	assert_null(map_find(&map, 0));
	*map_put(&map, 0) = 7;
	*map_put(&map, UINT64_MAX) = 8;
	assert_int_equal(*map_find(&map, 0), 7);
	assert_int_equal(*map_find(&map, UINT64_MAX), 8);
	assert_null(map_find(&map, 1));
	assert_int_equal(*map_put(&map, 0), 7);
	assert_int_equal(map.n, 2);
	for (uint64_t key = 0; key < 100000; key++)
		*map_put(&map, key) = ~key;
	for (uint64_t key = 0; key < 100000; key++)
		assert_true(*map_find(&map, key) == ~key);
	assert_int_equal(map.n, 100001);
	assert_int_equal(map.n_slots & (map.n_slots - 1), 0);
	assert_true(map.n < map.n_slots);
	map_free(&map);
}

TEST(test_array_grow)
{
	uint64_t *array = NULL, room = 0;
	uint64_t *before;

	array_grow(&array, &room, 0, sizeof(*array));
	assert_true(room == 0 && !array);
	for (uint64_t n = 1; n < 100000; n += 1 + n / 7) {
		uint64_t old_room = room;

		array_grow(&array, &room, n, sizeof(*array));
		assert_true(room >= n && (room == old_room || room >= 2 * old_room));
		for (uint64_t i = old_room; i < room; i++)
			array[i] = i;
		for (uint64_t i = 0; i < room; i++)
			assert_true(array[i] == i);
	}
	before = array;
	array_grow(&array, &room, room, sizeof(*array));
	array_grow(&array, &room, 1, sizeof(*array));
	assert_ptr_equal(array, before);
	free(array);
}
