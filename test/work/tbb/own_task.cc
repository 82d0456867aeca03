// SPDX-License-Identifier: MIT
// Tasks of the program's own classes: with virtual bases and many virtual functions, as a base that
// is not the first; used while pending; run again and again; one that returns the next.
#include <oneapi/tbb/detail/_task.h>
#include "threads.hh"

namespace d1 = tbb::detail::d1;

static std::atomic<long> sum;

struct counter {
	d1::wait_context left{ 0 };
	tbb::task_group_context context;
	void spawn(d1::task &task)
	{
		left.reserve();
		d1::spawn(task, context);
	}
};

struct number {
	long value = 5;
	virtual ~number() = default;
	virtual long get()
	{
		return value;
	}
};

struct wide : number {
	virtual long a() { return 1; }
	virtual long b() { return 2; }
	virtual long c() { return 3; }
};

/* On the heap: it is gone when it is over. */
struct counted : d1::task {
	counter &all;
	counted(counter &to) : all(to)
	{
	}
	d1::task *end()
	{
		all.left.release();
		delete this;
		return nullptr;
	}
	d1::task *cancel(d1::execution_data &) override
	{
		return end();
	}
};

struct odd : wide, virtual number, counted {
	odd(counter &to) : counted(to)
	{
	}
	virtual long d() { return 4; }
	virtual long e() { return 5; }
	d1::task *execute(d1::execution_data &) override
	{
		sum += a() + b() + c() + d() + e() + number_of(*this);
		return end();
	}
	static long number_of(wide &w)
	{
		return w.get();
	}
};

struct chain : virtual number, counted {
	int n;
	chain(counter &to, int steps) : counted(to), n(steps)
	{
	}
	d1::task *execute(d1::execution_data &) override
	{
		d1::task *self = this;

		sum += get() + (dynamic_cast<number *>(self) ? 1 : 0);
		if (--n % 3)
			return this;
		if (n > 0) {
			d1::spawn(*this, all.context);
			return nullptr;
		}
		return end();
	}
};

/* Each returns a new one. */
struct relay : counted {
	int n;
	relay(counter &to, int steps) : counted(to), n(steps)
	{
	}
	d1::task *execute(d1::execution_data &) override
	{
		d1::task *next = n > 1 ? new relay(all, n - 1) : nullptr;

		sum++;
		if (!next)
			all.left.release();
		delete this;
		return next;
	}
};

/* Is looked at, by its own functions and its virtual base, before it runs. */
struct many : d1::task, virtual number {
	counter &all;
	many(counter &to) : all(to)
	{
	}
	d1::task *execute(d1::execution_data &) override
	{
		sum += last() + get();
		all.left.release();
		return nullptr;
	}
	d1::task *cancel(d1::execution_data &) override
	{
		all.left.release();
		return nullptr;
	}
	virtual long one() { return 1; }
	virtual long two() { return 2; }
	virtual long three() { return 3; }
	virtual long four() { return 4; }
	virtual long last() { return 100; }
};

static void look()
{
	counter c;
	many task(c);
	d1::task *base = &task;

	c.spawn(task); /* and nobody else takes it: the arena is for one */
	__asm__ volatile("" : "+r"(base) : : "memory");
	many *again = dynamic_cast<many *>(base);
	number *virtual_base = again;

	sum += again->one() + again->two() + again->three() + again->four() + again->last();
	sum += virtual_base->get();
	d1::wait(c.left, c.context);
}

static void all()
{
	counter c;

	for (int i = 0; i < 10; i++)
		c.spawn(*new odd(c));
	for (int i = 0; i < 10; i++)
		c.spawn(*new chain(c, 12));
	for (int i = 0; i < 9; i++)
		c.spawn(*new relay(c, 20));
	c.left.reserve();
	d1::execute_and_wait(*new relay(c, 20), c.context, c.left, c.context);
	std::printf("sum %ld\n", sum.load());
}

int main()
{
	tbb::task_arena one(1);

	in_arena(all);
	one.execute(look);
	std::printf("sum %ld\n", sum.load());
	std::printf("tptrace-tasks %d\n", 10 + 10 * 12 + 10 * 20 + 1);
}
