/* SPDX-License-Identifier: MIT */
/* stacks_test.c - frames, stacks and samples as text and back, and lines that are none. */
#include "tools/base/load.h"

#include "test/lib/test.h"
#include "test/unit/trace.h"

/* As FORMAT.md has them, in the order of dump. */
TEST(test_text)
{
	static const char lines[] = "tptrace text 2\nclock ns\n"
				    "frame 0 pc=0x1234 module=0\n"
				    "frame 1 pc=0x7f00 fn=0x7e00 name=f%20g file=x.c line=7\n"
				    "stack 1 frame=1\nstack 2 frame=0 parent=1\n"
				    "sample w1 16 stack=2\nsample w0 14 stack=1 in=kernel\n"
				    "sample w0 15 stack=0 asleep=7\n10 w0 root 0.1\n20 w0 end\n";
	struct bytes text = { 0 };
	struct reader *reader;
	struct err err;

	if (trace_open(&reader, lines, sizeof(lines) - 1, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(trace_dump(&text, reader, &err), 0);
	assert_int_equal(text.n, sizeof(lines) - 1);
	assert_memory_equal(text.at, lines, text.n);
	assert_string_equal(reader_defs(reader)->frame[1].name, "f g");
	assert_int_equal(reader_defs(reader)->sample[2].asleep_ns, 7);
	assert_true(reader_defs(reader)->sample[1].in_kernel);
	reader_close(reader);
	bytes_free(&text);
}

/* No line makes much memory, a stack that calls itself, or a sample of nobody. */
TEST(test_invalid)
{
	static const char *const bad[] = {
		"frame 1048576",
		"frame 0 pc=x",
		"stack 2 frame=0 parent=2",
		"stack 0 parent=0",
		"sample w1 x",
		"sample w65536 1 stack=1",
		"sample w1 1 stack=4194304",
		"sample 1 1 stack=1",
		"sample w1 1 stack",
	};
	struct defs defs = { 0 };
	const char *what;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char line[64];

		snprintf(line, sizeof(line), "%s", bad[i]);
		if (defs_line(&defs, line, &what) != -EPROTO)
			fail_msg("`%s` was taken", bad[i]);
	}
	assert_int_equal(defs.n_samples, 0);
	defs_free(&defs);
}
