/* SPDX-License-Identifier: MIT */
/* names_library.c - a shared library for names_test to find the functions of. */
void say(const char *label, const void *address, int is_return_address);
void library_work(void);

__attribute__((noinline)) static void library_hidden(void)
{
	say("library_hidden", __builtin_return_address(0), 1);
	say("library_hidden_begin", (const void *)library_hidden, 0);
}

void library_work(void) /* @library_work */
{
	library_hidden(); /* @library_call */
	say("library_work", (const void *)library_work, 0);
}
