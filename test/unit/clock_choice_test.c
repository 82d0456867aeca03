/* SPDX-License-Identifier: MIT */
/* clock_choice_test.c - the clock that a session takes, by processor, kernel and wish. */
#if defined(__x86_64__)
#include <cpuid.h>
static int cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d);
#define __get_cpuid cpuid /* a processor that the test chooses */
#endif
static const char *clocksources = "/sys/devices/system/clocksource/clocksource0";
#define CLOCKSOURCES clocksources /* and a kernel */
#include "test/unit/workers.h"

static bool tsc_keeps_its_rate = true;

#if defined(__x86_64__)
static int cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
	*a = *b = 0;
	*c = leaf == 1 ? 1u << 31 : 0; /* a virtual machine */
	*d = leaf == 0x80000007 && tsc_keeps_its_rate ? 1u << 8 : 0;
	return leaf == 1 || leaf == 0x80000007;
}
#else
#define ask_kernel clock_gettime /* tests of the choice are skipped */
#endif

static void make_file(const char *folder, const char *name, const char *text)
{
	char path[100];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool is_asked = true; /* the kernel, for its time: no host vouches for the counter */

static int read_at_once(clockid_t clock, struct timespec *now)
{
	*now = (struct timespec){ 1, 0 };
	return 0;
}

/* A kernel that keeps time by that clock, and knows those; the source that choose_clock() takes. */
static enum clock_source chosen_of(const char *kernel, const char *listed, enum clock_wish wish)
{
	static const char *const name[] = { "current_clocksource", "available_clocksource" };
	char folder[] = "/tmp/clock_choice_test.XXXXXX";
	const char *real = clocksources;
	enum clock_source source;
	int at;

	assert_non_null(mkdtemp(folder));
	make_file(folder, name[0], kernel);
	make_file(folder, name[1], listed);
	clocksources = folder;
	read_clock = is_asked ? ask_kernel : read_at_once;
	source = choose_clock(wish);
	read_clock = clock_gettime;
	clocksources = real;
	at = open(folder, O_PATH);
	for (int i = 0; i < 2; i++)
		unlinkat(at, name[i], 0);
	close(at);
	rmdir(folder);
	return source;
}

static enum clock_source chosen(const char *kernel, enum clock_wish wish)
{
	return chosen_of(kernel, kernel, wish);
}

/* The stderr of choose_clock(), up to 300 bytes. */
static void chosen_says(const char *kernel, enum clock_wish wish, char said[300])
{
	int pipes[2], saved = dup(STDERR_FILENO);
	ssize_t n;

	assert_int_equal(pipe(pipes), 0);
	dup2(pipes[1], STDERR_FILENO);
	chosen(kernel, wish);
	dup2(saved, STDERR_FILENO);
	close(pipes[1]);
	close(saved);
	n = read(pipes[0], said, 299);
	close(pipes[0]);
	said[n < 0 ? 0 : n] = 0;
}

WORKER_TEST(test_choice)
{
	char said[300];

#if !defined(__x86_64__)
	skip();
#endif
	for (int keeps = 0; keeps < 2; keeps++) {
		tsc_keeps_its_rate = keeps;
		assert_int_equal(chosen("tsc\n", CLOCK_WISH_NONE), CLOCK_SOURCE_TSC);
		assert_int_equal(chosen("kvm-clock\n", CLOCK_WISH_NONE), CLOCK_SOURCE_MONOTONIC);
		assert_int_equal(chosen("tsc\n", CLOCK_WISH_MONOTONIC), CLOCK_SOURCE_MONOTONIC);
		assert_int_equal(chosen("hpet\n", CLOCK_WISH_TSC),
				 keeps ? CLOCK_SOURCE_TSC : CLOCK_SOURCE_MONOTONIC);
		chosen_says("tsc\n", CLOCK_WISH_TSC, said);
		assert_string_equal(said, "");
		chosen_says("hpet\n", CLOCK_WISH_NONE, said);
		assert_string_equal(said, "");
		chosen_says("hpet\n", CLOCK_WISH_TSC, said);
		assert_int_equal(said[0] == 0, keeps);
	}
	tsc_keeps_its_rate = false;
	chosen_says("hpet\n", CLOCK_WISH_TSC, said);
	assert_non_null(strstr(said, "tptrace: TPTRACE_CLOCK=tsc: "));
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	tsc_keeps_its_rate = true;
}

/* Whether the CPUs' counters agree is found out without moving the thread that asks. */
WORKER_TEST(test_virtual_machine)
{
	const char *listed = "kvm-clock tsc acpi_pm \n";
	cpu_set_t before, after;

#if !defined(__x86_64__)
	skip();
#endif
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	bool agree = cpus_agree(); /* by this machine's clock */

	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	enum clock_source found = chosen_of("kvm-clock\n", listed, CLOCK_WISH_NONE);

	assert_int_equal(found == CLOCK_SOURCE_TSC, agree);
	assert_int_equal(chosen("kvm-clock\n", CLOCK_WISH_NONE), CLOCK_SOURCE_MONOTONIC);
	is_asked = false; /* the kernel lists no tsc, and yet is not asked */
	for (int kvm = 0; kvm < 2; kvm++) {
		found = chosen(kvm ? "kvm-clock\n" : "hyperv_clocksource_tsc_page\n",
			       CLOCK_WISH_NONE);
		assert_int_equal(found == CLOCK_SOURCE_TSC, agree);
	}
	is_asked = true;
	print_message("[ the CPUs' counters %s ]\n", agree ? "agree" : "differ");
	tsc_keeps_its_rate = false;
	assert_int_equal(chosen_of("kvm-clock\n", listed, CLOCK_WISH_NONE), CLOCK_SOURCE_MONOTONIC);
	tsc_keeps_its_rate = true;
}

/* The session has the options of the test's environment. */
WORKER_TEST(test_clock_asked_for)
{
	const char *asked = getenv("TPTRACE_CLOCK");

	print_message("[ the session's clock is %s ]\n",
		      clock_source_name(session_get()->clock.source));
	if (asked && strcmp(asked, "monotonic") == 0)
		assert_int_equal(session_get()->clock.source, CLOCK_SOURCE_MONOTONIC);
#if defined(__x86_64__)
	if (asked && strcmp(asked, "tsc") == 0)
		assert_int_equal(session_get()->clock.source, CLOCK_SOURCE_TSC);
#endif
}

int main(void)
{
	session_give(&idle_collector);
	return test_all();
}
