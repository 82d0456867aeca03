/* SPDX-License-Identifier: MIT */
/*
 * inside.cpp CAUSE [fixed] - tasks that hinder one another inside their code, for one reason each,
 * or repaired.
 *
 * Prints the time that it took, and its CPU time, in ns.  The line of a cause ends with its name.
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <malloc.h>
#include <memory>
#include <mutex>
#include <omp.h>
#include <regex>
#include <shared_mutex>
#include <sstream>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include "../bench/now.h"
#include "include/c++/bag.hh"

enum { TASKS = 256 };

static bool fixed;
static double out[TASKS];
static long sums[TASKS * 8];

static void draws(int i)
{
	unsigned seed = (unsigned)i + 1;
	long sum = 0;

	if (fixed)
		for (int k = 0; k < 300000; k++)
			sum += rand_r(&seed) & 1;
	else
		for (int k = 0; k < 300000; k++)
			sum += rand() & 1; // draws
	out[i] = (double)sum;
}

static void allocates(int i)
{
	static const size_t bytes = 2000; // more than what threads keep for themselves
	void *own = malloc(bytes), *block[20];

	for (int k = 0; k < 4000; k++) {
		for (void *&b : block) {
			b = fixed ? own : malloc(bytes); // allocates
			*static_cast<volatile char *>(b) = 1;
		}
		for (void *b : block)
			if (!fixed)
				free(b); // allocates
	}
	free(own);
	out[i] = 1;
}

static std::mutex lock;
static long histogram[256];

static void histograms(int i)
{
	unsigned x = (unsigned)i + 1;
	long own[256] = {};

	for (int k = 0; k < 100000; k++) {
		x = x * 1664525 + 1013904223;
		if (fixed) {
			own[x >> 24]++;
			continue;
		}
		lock.lock(); // histograms
		histogram[x >> 24]++;
		lock.unlock(); // histograms
	}
	std::lock_guard<std::mutex> merging(lock);
	for (int k = 0; k < 256; k++)
		histogram[k] += own[k];
}

static std::atomic<long> counter;

static void counts(int i)
{
	long own = 0;

	for (int k = 0; k < 200000; k++) {
		if ((k ^ i) % 7 == 0)
			continue;
		if (fixed)
			own++;
		else
			counter++; // counts
	}
	counter += own;
}

static bag<double> found;

static void gathers(int i)
{
	double own = 0;

	for (int k = 0; k < 100000; k++)
		if (fixed)
			own += k;
		else
			found.put(k); // gathers
	found.put(own + i);
}

struct node {
	int value = 1;
};
static std::shared_ptr<node> shared = std::make_shared<node>();

static int value_of(std::shared_ptr<node> p)
{
	return *static_cast<volatile int *>(&p->value);
}

static void refers(int i)
{
	long sum = 0;

	for (int k = 0; k < 100000; k++)
		sum += fixed ? *static_cast<volatile int *>(&shared->value)
			     : value_of(shared); // refers
	out[i] = (double)sum;
}

static std::atomic<bool> taken;
static double total;

static void spins(int i)
{
	double own = 0;

	for (int k = 0; k < 2000; k++) {
		double x = i;

		for (int j = 0; j < (fixed ? 600 : 100); j++)
			x = x * 1.0000001 + 1e-9;
		own += x;
		if (fixed)
			continue;
		while (taken.exchange(true, std::memory_order_acquire)) // spins
			while (taken.load(std::memory_order_relaxed))	// spins
				;
		for (int j = 0; j < 500; j++)
			x = x * 1.0000001 + 1e-9;
		total += x;
		taken.store(false, std::memory_order_release);
	}
	out[i] = own;
}

static std::atomic<int> turn;

/* Of each two tasks the second waits for the first, which has to compute for 2 ms. */
static void awaits(int i)
{
	double x = i;

	for (int j = 0; j < (fixed ? 1200000 : i % 2 ? 100000 : 2300000); j++)
		x = x * 1.0000001 + 1e-9;
	turn++;
	if (!fixed && i % 2 == 1)
		while (turn.load(std::memory_order_acquire) < i + 1) // awaits
			;
	out[i] += x;
}

static void shares(int i)
{
	volatile long *own = &sums[fixed ? i * 8 : i];

	for (int k = 0; k < 2000000; k++)
		*own = *own + k; // shares
}

static void faults(int i)
{
	static const size_t bytes = 4 << 20;
	static thread_local char *kept = static_cast<char *>(malloc(bytes));
	volatile char *p = fixed ? kept : static_cast<char *>(aligned_alloc(4096, bytes));

	for (size_t k = 0; k < bytes; k += 1024)
		p[k] = (char)i; // faults
	if (!fixed)
		free(const_cast<char *>(p)); // faults
}

static int null_file;

static void writes(int i)
{
	char buffer[8000];

	memset(buffer, i, sizeof(buffer));
	for (int k = 0; k < 8000; k++)
		if ((!fixed || k == 0) &&
		    write(null_file, buffer + k, fixed ? sizeof(buffer) : 1) < 0) // writes
			abort();
}

static void opens(int i)
{
	static int own = open("/proc/self/stat", O_RDONLY);

	for (int k = 0; k < 1500; k++) {
		int file = fixed ? own : open("/dev/zero", O_RDONLY); // opens

		out[i] += file;
		if (!fixed)
			close(file); // opens
	}
}

static std::shared_mutex reading;
static int table[256];

/* Nobody writes the table, but each look at it writes the lock's count of readers. */
static void looks(int i)
{
	long sum = 0;

	if (fixed)
		reading.lock_shared();
	for (int k = 0; k < 60000; k++) {
		if (!fixed)
			reading.lock_shared(); // looks
		sum += static_cast<volatile int *>(table)[(k * i) & 255];
		if (!fixed)
			reading.unlock_shared(); // looks
	}
	if (fixed)
		reading.unlock_shared();
	out[i] = (double)sum;
}

static int number_of(const char *text)
{
	if (*text < '0' || *text > '9')
		throw text; // throws
	return *text - '0';
}

/* What is no number is one of four, and expected. */
static void throws(int i)
{
	static const char *const words[] = { "1", "2", "x", "4" };

	for (int k = 0; k < 4000; k++) {
		const char *word = words[(k + i) & 3];

		if (fixed) {
			out[i] += *word < '0' || *word > '9' ? 0 : *word - '0';
			continue;
		}
		try {
			out[i] += number_of(word); // throws
		} catch (const char *) {
			out[i] += 0; // throws
		}
	}
}

static void formats(int i)
{
	for (int k = 0; k < 2000; k++) {
		if (fixed) {
			out[i] += k;
			continue;
		}
		std::ostringstream text;		  // formats
		text << "task " << i << " at " << k * .5; // formats
		out[i] += (double)text.str().size();	  // formats
	}
}

/* The first use of an array that is used once more. */
static void touches(int i)
{
	static const size_t bytes = 1 << 20;
	static thread_local char *kept = static_cast<char *>(malloc(bytes));
	static char *all = static_cast<char *>(mmap(nullptr, TASKS * bytes, PROT_READ | PROT_WRITE,
						    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	volatile char *p = fixed ? kept : all + (size_t)i * bytes;

	for (size_t k = 0; k < bytes; k += 1024)
		p[k] = (char)i; // touches
}

static int matches_in(const std::regex &expression)
{
	return std::regex_search("x1; alpha=17", expression);
}

static void parses(int i)
{
	static const char *const text = "([a-z]+)=([0-9]+)";
	static const std::regex once(text);

	for (int k = 0; k < (fixed ? 1 : 40); k++)
		out[i] += fixed ? matches_in(once) : matches_in(std::regex(text)); // parses
}

static double moments[4];

/* Four locks, each for so little that none costs much alone. */
static void criticals(int i)
{
	double own[4] = {};

	for (int k = 0; k < 2000; k++) {
		double x = k * i;

		if (fixed) {
			own[0] += x, own[1] += x * x, own[2] += k, own[3] += 1;
			continue;
		}
#pragma omp critical(sum) // criticals
		moments[0] += x;
#pragma omp critical(squares) // criticals
		moments[1] += x * x;
#pragma omp critical(turns) // criticals
		moments[2] += k;
#pragma omp critical(count) // criticals
		moments[3] += 1;
	}
#pragma omp critical(merge)
	for (int m = 0; m < 4; m++)
		moments[m] += own[m];
}

static struct parameters {
	double weight[1 << 19];
} parameters;

static void weighs(int i, double x)
{
	for (int j = 0; j < 300000; j++)
		x = x * 1.0000001 + 1e-9;
	out[i] = x;
}

/* Each task reads one number of 4 MiB. */
static void copies(int i)
{
	if (fixed) {
#pragma omp task shared(parameters) firstprivate(i)
		weighs(i, parameters.weight[i]);
	} else {
#pragma omp task firstprivate(i, parameters) // copies
		weighs(i, parameters.weight[i]);
	}
}

static std::ofstream messages("/dev/null");

/* A line for each step, by one stream for all. */
static void logs(int i)
{
	double x = i;

	for (int k = 0; k < 1200; k++) {
		for (int j = 0; j < 100; j++)
			x = x * 1.0000001 + 1e-9;
		if (fixed)
			continue;
		std::lock_guard<std::mutex> one(lock);			   // logs
		messages << "task " << i << "." << k << ": " << x << '\n'; // logs
	}
	out[i] = x;
}

/* Of each two tasks the second waits for the first, which has to compute for 1 ms. */
static void polls(int i)
{
	double x = i;

	for (int j = 0; j < (fixed ? 300000 : i % 2 ? 1000 : 600000); j++)
		x = x * 1.0000001 + 1e-9;
	turn++;
	if (!fixed && i % 2 == 1)
		while (turn.load(std::memory_order_acquire) < i + 1)
			usleep(2000); // polls
	out[i] += x;
}

static FILE *numbers[2];
static int sources[2];

/* Another thread of the program has a number for each worker each millisecond. */
static void feed()
{
	for (int i = 0; i < TASKS; i++) {
		usleep(1000);
		for (int to : sources)
			if (write(to, "1.5\n", 4) < 0)
				abort();
	}
}

static std::thread new_feeder()
{
	for (int i = 0; i < 2; i++) {
		int ends[2];

		if (pipe(ends) < 0)
			abort();
		numbers[i] = fdopen(ends[0], "r");
		sources[i] = ends[1];
	}
	return std::thread(feed);
}

static void scans(int i)
{
	double x = i;
	FILE *own = numbers[omp_get_thread_num()];

	if (!fixed && fscanf(own, "%lf", &x) != 1) // scans
		abort();
	for (int j = 0; j < 100000; j++)
		x = x * 1.0000001 + 1e-9;
	out[i] = x;
}

static const struct {
	const char *name;
	void (*part)(int i);
} causes[] = {
	{ "draws", draws },   { "allocates", allocates }, { "histograms", histograms },
	{ "counts", counts }, { "refers", refers },	  { "spins", spins },
	{ "awaits", awaits }, { "shares", shares },	  { "faults", faults },
	{ "writes", writes }, { "opens", opens },	  { "looks", looks },
	{ "throws", throws }, { "formats", formats },	  { "touches", touches },
	{ "parses", parses }, { "criticals", criticals }, { "copies", copies },
	{ "logs", logs },     { "polls", polls },	  { "gathers", gathers },
	{ "scans", scans },
};

static void run(void (*part)(int i))
{
	std::thread feeder;

	if (part == scans && !fixed)
		feeder = new_feeder();
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < TASKS; i++) {
		if (part == copies) { /* which makes a task of its own */
			part(i);
			continue;
		}
#pragma omp task firstprivate(i)
		part(i);
	}
	if (feeder.joinable())
		feeder.join();
}

int main(int argc, char **argv)
{
	long began = (long)now_ns();

	fixed = argc > 2;
	null_file = open("/dev/null", O_WRONLY);
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	for (auto &cause : causes)
		if (argc > 1 && strcmp(cause.name, argv[1]) == 0) {
			run(cause.part);
			printf("%ld %ld\n", (long)now_ns() - began,
			       (long)now_of(CLOCK_PROCESS_CPUTIME_ID));
			return 0;
		}
	return 2;
}
