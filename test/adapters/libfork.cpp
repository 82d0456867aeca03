/* SPDX-License-Identifier: MIT */
/* libfork.cpp - fork, call, join, a switch of workers and an exception on libfork's POOL. */
#include <cstdio>
#include <stdexcept>

#include <libfork/core.hpp>
#include <libfork/schedule.hpp>

static constexpr auto fib = [](auto fib, int n) -> lf::task<int> {
	int a, b;

	if (n < 2)
		co_return n;
	co_await lf::fork(&a, fib)(n - 1);
	co_await lf::call(&b, fib)(n - 2);
	co_await lf::join;
	co_return a + b;
};

/* A call that joins its own children while one of its caller's still runs. */
static constexpr auto both = [](auto, int n) -> lf::task<int> {
	int a, b;

	co_await lf::fork(&a, fib)(n);
	co_await lf::call(&b, fib)(n);
	co_await lf::join;
	co_return a + b;
};

static constexpr auto moves = [](auto, POOL *pool) -> lf::task<int> {
	co_await lf::resume_on(pool->contexts()[0]);
	co_await lf::resume_on(pool->contexts()[1]);
	co_return 1;
};

static constexpr auto throws = [](auto) -> lf::task<> {
	throw std::runtime_error("");
	co_return;
};

static constexpr auto catches = [](auto) -> lf::task<int> {
	int caught = 0;

	co_await lf::fork(throws)();
	try {
		co_await lf::join;
	} catch (const std::runtime_error &) {
		caught = 1;
	}
	co_return caught;
};

int main()
{
	POOL pool(2);
	int sum = lf::sync_wait(pool, both, 10) + lf::sync_wait(pool, moves, &pool) +
		  lf::sync_wait(pool, catches);

	std::puts(sum == 2 * 55 + 2 ? "done" : "wrong");
	return 0;
}
