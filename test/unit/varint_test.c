/* SPDX-License-Identifier: MIT */
/* varint_test.c - what was stored is loaded, byte for byte; what is no number is refused. */
#include "test/unit/check.h"

#include "collector/trace/varint.h"

/* How many bytes it takes. */
static size_t stored(uint64_t value, uint8_t *byte)
{
	return (size_t)(varint_store(byte, value) - byte);
}

TEST(test_round_trip)
{
	static const uint64_t value[] = {
		0,	    1,	       0x7f,	 0x80,	     0x3fff,
		0x4000,	    0x1fffff,  0x200000, 1ull << 62, (1ull << 63) - 1,
		1ull << 63, UINT64_MAX
	};
	static const size_t n_bytes[] = { 1, 1, 1, 2, 2, 3, 3, 4, 9, 9, 10, 10 };

	for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++) {
		uint8_t byte[VARINT_MAX + 1];
		const uint8_t *at = byte;
		uint64_t loaded = 77;
		size_t n = stored(value[i], byte);

		assert_int_equal(n, n_bytes[i]);
		byte[n] = 0xff; /* is not looked at */
		assert_true(varint_load(&at, byte + sizeof(byte), &loaded));
		assert_true(loaded == value[i]);
		assert_ptr_equal(at, byte + n);
	}
}

TEST(test_cut_off)
{
	uint8_t byte[VARINT_MAX];
	uint64_t loaded;
	size_t n = stored(UINT64_MAX, byte);

	for (size_t left = 0; left < n; left++) {
		const uint8_t *at = byte;

		assert_false(varint_load(&at, byte + left, &loaded));
		assert_ptr_equal(at, byte + left);
	}
}

TEST(test_too_large)
{
	uint8_t byte[VARINT_MAX + 1];
	const uint8_t *at = byte;
	uint64_t loaded;

	memset(byte, 0x80, sizeof(byte));
	byte[VARINT_MAX] = 0; /* the eleventh */
	assert_false(varint_load(&at, byte + sizeof(byte), &loaded));
	byte[VARINT_MAX - 1] = 2; /* bit 64 */
	at = byte;
	assert_false(varint_load(&at, byte + sizeof(byte), &loaded));
	byte[VARINT_MAX - 1] = 1;
	at = byte;
	assert_true(varint_load(&at, byte + sizeof(byte), &loaded));
	assert_true(loaded == 1ull << 63);
}
