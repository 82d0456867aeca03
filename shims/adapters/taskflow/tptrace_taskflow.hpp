/* SPDX-License-Identifier: MIT */
/* tptrace_taskflow.hpp - records the tasks of a taskflow, by Taskflow's observers.  README.md says how. */
#pragma once

#include <memory>
#include <unordered_map>

#include <taskflow/taskflow.hpp>
#include <tptrace_task.hpp>

namespace tptrace
{

class taskflow_observer : public tf::ObserverInterface
{
	struct node {
		tptrace_task_t task = 0;
		tptrace_here here; /* of its code */
		const void *site;
	};
	runtime trace{ "Taskflow", "" };
	std::unordered_map<std::size_t, node> nodes; /* by tf::Task::hash_value(); not changed by runs */

	node *of(std::size_t hash)
	{
		auto found = nodes.find(hash);
		return found == nodes.end() ? nullptr : &found->second;
	}

public:
	void set_up(std::size_t n) override { trace.workers((uint32_t)n); }
	/* Once its graph is built, and before it runs. */
	void watch(const tf::Taskflow &flow)
	{
		flow.for_each_task([this](tf::Task task) {
			nodes[task.hash_value()].site = tptrace_task_name(nullptr, task.name().c_str());
		});
	}
	/* A run: its tasks are created here, and released by those that they come after. */
	void run(tf::Executor &executor, tf::Taskflow &flow)
	{
		flow.for_each_task([this](tf::Task task) {
			node *made = of(task.hash_value());
			create mark(trace, made->task, made->site);
			if (task.num_predecessors())
				mark.needs(made);
		});
		wait mark(trace, TPTRACE_WAIT_CHILDREN);
		executor.run(flow).wait();
	}
	void on_entry(tf::WorkerView, tf::TaskView task) override
	{
		if (node *made = of(task.hash_value()))
			tptrace_task_begin(&made->task, &made->here);
	}
	void on_exit(tf::WorkerView, tf::TaskView task) override
	{
		node *made = of(task.hash_value());
		if (!made)
			return;
		tptrace_task_t ended = made->task; /* once a successor runs, so may the next run */
		tptrace_task_end(&made->here);
		task.for_each_successor([this, ended](auto next) {
			tptrace_task_release_by(ended, of(next.hash_value()));
		});
	}
};

}
