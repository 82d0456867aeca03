// SPDX-License-Identifier: MIT
// instances.cc - tasks in instances of templates: four kinds of ten tasks each.
struct Base {
	virtual ~Base() {}
	virtual void go(int n) = 0;
};

template <class T> struct Work : Base {
	T sum{};

	void go(int n) override
	{
#pragma omp task
		sum += n;
	}
};

template <int N> static void each(int *out)
{
#pragma omp task
	{
#pragma omp atomic
		*out += N;
	}
}

int main()
{
	Work<int> whole;
	Work<double> real;
	Base *both[] = { &whole, &real };
	int out = 0;

#pragma omp parallel num_threads(1)
#pragma omp single
	for (int i = 0; i < 10; i++) {
		both[0]->go(i);
		both[1]->go(i);
		each<3>(&out);
		each<4>(&out);
	}
	return whole.sum + real.sum != 90 || out != 70;
}
