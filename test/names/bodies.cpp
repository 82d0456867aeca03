/* SPDX-License-Identifier: MIT */
/*
 * bodies.cpp - filters of pipelines and nodes of flow graphs: how often each one's body ran; and
 * tasks of libstdc++'s parallel algorithms.
 *
 * A comment @what stands on the line where a body begins; it prints `what times`.
 */
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <vector>
#if __cplusplus >= 201703L
#include <execution>
#endif

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

namespace
{
struct Count {
	const char *what;
	std::atomic<int> n{ 0 };
	explicit Count(const char *what) : what(what) {}
	void operator++(int) { n++; }
	~Count() { std::printf("%s %d\n", what, n.load()); }
};
Count read_in("read"), square("square"), add("add"), write_out("write"), other_in("other in"),
	other_out("other out"), source("source"), scale("scale"), shift("shift"), split("split"),
	both("both"), done("done"), own("own");
volatile double sink;

void work()
{
	for (int i = 0; i < 300; i++)
		sink = sink + i;
}

struct Square {
	long operator()(int i) const /* @square */
	{
		square++;
		work();
		return (long)i * i;
	}
};

template <class T> struct Scale {
	T factor;
	T operator()(const T &i) /* @scale */
	{
		scale++;
		work();
		return i * factor;
	}
};

/* Messages that are no single words, and what is passed by address. */
void pipeline(int items, int tokens)
{
	int next = 0;
	long sum = 0;

	tbb::parallel_pipeline(
		tokens,
		tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
					    [&](tbb::flow_control &control) -> int { /* @read */
						    read_in++;
						    if (next == items)
							    control.stop();
						    return next++;
					    }) &
			tbb::make_filter<int, long>(tbb::filter_mode::parallel, Square()) &
			tbb::make_filter<long, std::string>(
				tbb::filter_mode::serial_out_of_order,
				[&sum](long i) -> std::string { /* @add */
					add++;
					sum += i;
					return std::to_string(i);
				}) &
			tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order,
							    [](const std::string &) { /* @write */
								    write_out++;
							    }));
}

void other_pipeline(int items)
{
	std::atomic<int> next{ 0 };

	tbb::parallel_pipeline(
		3, tbb::make_filter<void, int *>(tbb::filter_mode::serial_out_of_order,
						 [&](tbb::flow_control &control) -> int * { /* @other in */
							 other_in++;
							 if (next++ == items)
								 control.stop();
							 return nullptr;
						 }) &
			   tbb::make_filter<int *, void>(tbb::filter_mode::parallel,
							 [](int *) { other_out++; })); /* @other out */
}

struct Node : tbb::flow::function_node<int, int> {
	explicit Node(tbb::flow::graph &graph)
		: function_node(graph, tbb::flow::unlimited,
				[](int i) -> int { /* @own */
					own++;
					return i;
				})
	{
	}
	virtual void more() {}
};

void flow(int items)
{
	using numbers = std::tuple<int, int>;
	tbb::flow::graph graph;
	int next = 0;
	tbb::flow::input_node<int> in(graph, [&](tbb::flow_control &control) -> int { /* @source */
		source++;
		if (next == items)
			control.stop();
		return next++;
	});
	tbb::flow::function_node<int, int> first(graph, tbb::flow::serial, Scale<int>{ 3 });
	tbb::flow::function_node<int, int, tbb::flow::rejecting> second(
		graph, tbb::flow::unlimited, [](int i) -> int { /* @shift */
			shift++;
			return i + 1;
		});
	tbb::flow::multifunction_node<int, numbers> halves(
		graph, 2, [](int i, auto &ports) { /* @split */
			split++;
			std::get<0>(ports).try_put(i / 2);
			std::get<1>(ports).try_put(i - i / 2);
		});
	tbb::flow::join_node<numbers> join(graph);
	tbb::flow::function_node<numbers, tbb::flow::continue_msg> sums(
		graph, tbb::flow::unlimited,
		[](const numbers &) -> tbb::flow::continue_msg { /* @both */
			both++;
			return {};
		});
	tbb::flow::continue_node<tbb::flow::continue_msg> last(
		graph, [](const tbb::flow::continue_msg &) { done++; }); /* @done */
	Node derived(graph);

	make_edge(in, first);
	make_edge(first, second);
	make_edge(second, halves);
	make_edge(second, derived);
	make_edge(tbb::flow::output_port<0>(halves), tbb::flow::input_port<0>(join));
	make_edge(tbb::flow::output_port<1>(halves), tbb::flow::input_port<1>(join));
	make_edge(join, sums);
	make_edge(sums, last);
	in.activate();
	graph.wait_for_all();
}
} // namespace

int main()
{
	tbb::global_control workers(tbb::global_control::max_allowed_parallelism, 4);

	pipeline(50, 4);
	pipeline(30, 1);
	other_pipeline(20);
	flow(40);

#if __cplusplus >= 201703L
	std::vector<int> falling(5000);

	for (int i = 0; i < 5000; i++)
		falling[i] = -i;
	std::sort(std::execution::par, falling.begin(), falling.end());
	if (falling[0] != -4999)
		return 1;
#endif
	return 0;
}
