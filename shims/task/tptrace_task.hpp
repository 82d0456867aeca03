/* SPDX-License-Identifier: MIT */
/*
 * tptrace_task.hpp - the marks of tptrace_task.h as objects of C++: what leaves a task's code goes
 * on at the end of the block.  For C++11 and later; nothing is to be linked.
 *
 *	static tptrace::runtime trace("my runtime", "1.0");
 *
 *	{
 *		tptrace::create mark(trace, task->trace, tptrace::site("dgemm").value("n", 512));
 *		mark.after(other->trace);
 *		push(task);			where others find it
 *	}					the creator goes on
 *	{
 *		tptrace::run mark(task->trace);	on the thread that runs the task
 *		task->code();
 *	}					it has ended, by an exception, too
 *	{
 *		tptrace::wait mark(trace, TPTRACE_WAIT_GROUP, group);
 *		run_others_until_done(group);
 *	}
 *
 * An object belongs to the task whose code made it, and is made and destroyed on its stack; the two
 * may be on different threads.
 */
#ifndef TPTRACE_TASK_HPP
#define TPTRACE_TASK_HPP

#include "tptrace_task.h"

namespace tptrace
{

struct runtime : tptrace_runtime {
	explicit runtime(const char *name, const char *version = "")
		: tptrace_runtime{ name, version, 0 }
	{
	}
	TPTRACE_TASK_INLINE_ void workers(uint32_t n)
	{
		tptrace_task_workers(this, n);
	}
};

/* Without ticks_per_s its clock is CLOCK_MONOTONIC, in ns. */
struct device : tptrace_device {
	explicit device(const char *name, uint64_t ticks_per_second = 0)
		: tptrace_device{ { name, "", 0 }, ticks_per_second, 0 }
	{
	}
	TPTRACE_TASK_INLINE_ void clock(uint64_t shows)
	{
		tptrace_task_clock(this, shows);
	}
	TPTRACE_TASK_INLINE_ void operation(uint64_t begin, uint64_t end, uint64_t bytes = 0,
					    const void *site = nullptr)
	{
		tptrace_task_operation(this, begin, end, bytes, site);
	}
};

/* A place with a name and values.  Without one it is the mark itself. */
class site
{
	const void *at;

public:
	TPTRACE_TASK_INLINE_ site(const void *address = nullptr)
		: at(address)
	{
	}
	TPTRACE_TASK_INLINE_ explicit site(const char *name, const void *address = nullptr)
		: at(tptrace_task_name(address, name))
	{
	}
	TPTRACE_TASK_INLINE_ site(const char *function, const char *file, uint32_t line)
		: at(tptrace_task_place(nullptr, function, file, line))
	{
	}
	TPTRACE_TASK_INLINE_ site value(const char *key, int64_t n) const
	{
		return site(tptrace_task_value(at, key, n));
	}
	TPTRACE_TASK_INLINE_ site priority(int64_t n) const
	{
		return site(tptrace_task_priority(at, n));
	}
	const void *address() const
	{
		return at;
	}
};

/* What leaves a task's code: it goes on at the end of the block, or before by resume(). */
class leave
{
	bool is_left = true;

protected:
	tptrace_here here;
	leave() = default;

public:
	leave(const leave &) = delete;
	leave &operator=(const leave &) = delete;
	TPTRACE_TASK_INLINE_ void resume()
	{
		if (is_left)
			tptrace_task_resume(&here);
		is_left = false;
	}
	TPTRACE_TASK_INLINE_ ~leave()
	{
		resume();
	}
};

class create : public leave
{
	tptrace_task_t &task;

public:
	template <class code = tptrace_code_t>
	TPTRACE_TASK_INLINE_ create(runtime &of, tptrace_task_t &made, site where = site(),
				    code runs = nullptr)
		: task(made)
	{
		tptrace_task_create(&of, &made, &here, (tptrace_code_t)runs, where.address());
	}
	TPTRACE_TASK_INLINE_ void group(const void *of) const
	{
		tptrace_task_group(task, of);
	}
	TPTRACE_TASK_INLINE_ void after(tptrace_task_t other) const
	{
		tptrace_task_after(task, other);
	}
	TPTRACE_TASK_INLINE_ void needs(const void *object) const
	{
		tptrace_task_needs(task, object);
	}
	TPTRACE_TASK_INLINE_ void access(const void *object, enum tptrace_access how) const
	{
		tptrace_task_access(task, object, how);
	}
	TPTRACE_TASK_INLINE_ void data(const void *object, enum tptrace_access how, uint64_t bytes,
				       int node = -1) const
	{
		tptrace_task_data(task, object, how, bytes, node);
	}
};

class wait : public leave
{
public:
	TPTRACE_TASK_INLINE_ wait(runtime &of, enum tptrace_wait what, const void *object = nullptr,
				  site where = site())
	{
		tptrace_task_wait(&of, &here, what, object, where.address());
	}
	TPTRACE_TASK_INLINE_ wait(runtime &of, tptrace_task_t task, site where = site())
	{
		tptrace_task_wait_for(&of, &here, task, where.address());
	}
};

class release : public leave
{
public:
	TPTRACE_TASK_INLINE_ explicit release(const void *object)
	{
		tptrace_task_release(&here, object);
	}
};

/* The task's code, as long as the object is there. */
class run
{
	tptrace_here here;

public:
	TPTRACE_TASK_INLINE_ explicit run(tptrace_task_t &task)
	{
		tptrace_task_begin(&task, &here);
	}
	run(const run &) = delete;
	run &operator=(const run &) = delete;
	TPTRACE_TASK_INLINE_ ~run()
	{
		tptrace_task_end(&here);
	}
};

}

#endif
