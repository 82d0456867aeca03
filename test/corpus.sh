#!/bin/bash
# SPDX-License-Identifier: MIT
#
# corpus.sh - runs the programs of test/work/RUNTIME without and with the tracer, and compares.
#
#	test/corpus.sh RUNTIME [PROGRAM...]		a few compilers and thread counts
#	CORPUS=full test/corpus.sh RUNTIME [PROGRAM...]	all that make a difference
#
# test/work/RUNTIME/corpus.conf says how its programs are compiled and run, with the compilers $gcc, $older_gcc
# and $clang, and clang's libomp in $libomp (test/lib/compilers):
#
#	configs			CC,-OPT,THREADS[,THREADS...] of each, blank-separated
#	shim			the file name of what is preloaded
#	compile_flags CC	prints flags before the source
#	link_flags CC		prints flags after it
#	programs		the directories of the programs, if they are others
#	environments THREADS CC	prints a line of NAME=VALUE.. for each run on so many threads
#	fails_alone		skip: a run that fails untraced is the runtime's fault and shows nothing
#	traits CC		prints words: a program that is not-on: one of them is skipped
#	missing CC		says why nothing can be compiled, or nothing
#	variant			what to put before the name of the directory that is built in
#	about			prints a line for the summary: which runtime it was
#
# BUILD is where shims and tptrace are.  The traced program must print the same,
# exit the same, and say at most one line more on stderr; its trace must add up and hold as many
# explicit tasks as the program's last line, "tptrace-tasks N", says, as many implicit ones as a line
# before it, "tptrace-members N", and as many edges as "tptrace-edges join=N depend=N ..".  A program
# tells in comments what it needs:
#
#	// needs: gcc12			gcc of at least that version, else it is skipped
#	// needs: gcc11 clang		.. or any clang
#	// env: NAME=VALUE ...			its environment
#	// not-on: WORD ...			it cannot run there; corpus: here, but in a soak
#	// status: 3				its exit status, 0 if it says none
#	// expect: r["span_ns"] > 2e6	what must hold of the JSON report r, in Python
#	// flags: -ldl ...			more for the compiler, after the source
#	// lib: x.c				x.so, which it is linked to
#	// plugin: x.c				x.so, which it opens
#	// plugin-other-gomp: x.c		other_x.so, linked to a renamed copy of libgomp
#	// part-of: y.c				not a program

set -u
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0

if [ "${1-}" = --job ]; then
	job=yes
	shift
else
	job=no
fi
runtime=${1-}
work=test/work/$runtime
conf=$work/corpus.conf
if [ ! -e "$conf" ]; then
	echo "corpus.sh: there is no $conf; call it with one of $(ls test/work)" >&2
	exit 1
fi
shift
BUILD=$(realpath -m "${BUILD:-build}")
missing() { :; }
compile_flags() { :; }
link_flags() { :; }
about() { :; }
traits() { :; }
variant=
COMPILERS=${COMPILERS:-$(test/lib/compilers)}
export COMPILERS
read -r gcc older_gcc clang libomp <<<"$COMPILERS"
. "$conf"
: "${programs=$work}"
# as record does, which leaves locks to MassiveThreads where it has them
locks=:$BUILD/libtpshim_pthread.so
[ "$shim" = libtpshim_mthdl.so ] && locks=
SHIM=$BUILD/$shim TPTRACE=$BUILD/tptrace
export BUILD

# directive FILE NAME: what the file says under that name, one line a time it says it.
directive()
{
	sed -n "s|^// $2: *||p" "$1"
}

# Runs a command quietly; if it fails, prints it and what it said.
run_or_show()
{
	local said

	said=$("$@" 2>&1) && return 0
	printf '  %q' "$@"
	printf '\n%s\n' "$said" | head -30
	return 1
}

# Several jobs may build one helper at once, so everything is built aside and renamed.
so_build() # CC OPT DIR SOURCE NAME [LIBGOMP]
{
	local cc=$1 opt=$2 dir=$3 src=$4 so=$3/$5 obj=$3/$5.$$.o

	run_or_show "$cc" "$opt" -g -Wall -fPIC $(compile_flags "$cc") -c -o "$obj" "$src" || return 1
	if [ $# = 6 ]; then
		run_or_show "$cc" -shared -o "$so.$$" -Wl,-soname,"$5" "$obj" "$6" \
			-Wl,-rpath,'$ORIGIN'
	else
		run_or_show "$cc" -shared $(compile_flags "$cc") -o "$so.$$" -Wl,-soname,"$5" "$obj" \
			$(link_flags "$cc")
	fi && mv "$so.$$" "$so" && rm -f "$obj"
}

program_build() # CC OPT DIR SOURCE PROGRAM
{
	local cc=$1 opt=$2 dir=$3 src=$4 prog=$5 std=-std=gnu11 other s fresh=yes
	local beside=${4%/*}
	local -a flags libs=()

	for s in "$src" test/corpus.sh test/work/*.h "$conf" $(directive "$src" lib | sed "s|^|$beside/|") \
		$(sed -n "s|^#include \"\(.*\)\"|$beside/\1|p" "$src") \
		$(directive "$src" 'plugin[a-z-]*' | sed "s|^|$beside/|"); do
		[ "$prog" -nt "$s" ] || fresh=no
	done
	[ $fresh = yes ] && return 0
	mkdir -p "$dir"
	[ "${src##*.}" = cc ] && std=-std=gnu++17
	for s in $(directive "$src" lib); do
		so_build "$cc" "$opt" "$dir" "$beside/$s" "${s%.*}.so" || return 1
		libs+=("$dir/${s%.*}.so")
	done
	for s in $(directive "$src" plugin); do
		so_build "$cc" "$opt" "$dir" "$beside/$s" "${s%.*}.so" || return 1
	done
	for s in $(directive "$src" plugin-other-gomp); do
		other=$dir/libgomq.so.1
		LC_ALL=C sed 's/libgomp\.so\.1/libgomq.so.1/g' \
			"$("$cc" -print-file-name=libgomp.so.1)" >"$other.$$" || return 1
		mv "$other.$$" "$other"
		so_build "$cc" "$opt" "$dir" "$beside/$s" "other_${s%.*}.so" "$other" || return 1
	done
	read -ra flags <<<"$(directive "$src" flags | tr '\n' ' ')"
	run_or_show "$cc" "$opt" -g -Wall $std $(compile_flags "$cc") -o "$prog.$$" "$src" "${libs[@]}" \
		-Wl,-rpath,'$ORIGIN' "${flags[@]}" $(link_flags "$cc") && mv "$prog.$$" "$prog"
}

# program_run OUT ENV... PROGRAM: leaves OUT.out, OUT.err, OUT.status and, of the process, OUT.pid.
program_run()
{
	local out=$1

	shift
	(
		timeout -k 5 30 sh -c 'echo $$ >"$0" && exec env "$@"' "$out.pid" "$@" \
			>"$out.out" 2>"$out.err" </dev/null
		echo $? >"$out.status"
	) 2>/dev/null
}

# trace_check FILE [TASKS EXPRESSIONS EDGES MEMBERS]: says what is wrong with the trace, or nothing.
trace_check()
{
	if ! "$TPTRACE" report --json "$1" >"$1.json" 2>"$1.report-err"; then
		echo "tptrace report failed: $(head -3 "$1.report-err")"
		return
	fi
	"$PYTHON" -IS - "$1.json" "${2-}" "${3-}" "${4-}" "${5-}" <<-'END'
	import json, sys
	try:
	    r = json.load(open(sys.argv[1]))
	    parts = [r[k + "_ns"] for k in ("work", "delay", "no_work_sched", "no_work_app")]
	    whole = r["elapsed_ns"] * r["workers"]
	    if sum(parts) != whole:
	        print("%s is not elapsed * workers = %d" % ("+".join(map(str, parts)), whole))
	    if r["events_lost"] != 0:
	        print("%d events lost" % r["events_lost"])
	    n = sum(k["tasks"] for k in r["kinds"]
	            if k["what"] not in ("root", "implicit"))
	    for line in sys.argv[3].splitlines():
	        if not eval(line, {"r": r}):
	            print("not so: " + line)
	    if sys.argv[2] and r["tasks_never_begun"]:
	        print("%d tasks never began, nor were cancelled" % r["tasks_never_begun"])
	    if sys.argv[2] and n != int(sys.argv[2]):
	        print("%d explicit tasks in the trace, %s in the program" % (n, sys.argv[2]))
	    n = sum(k["tasks"] for k in r["kinds"] if k["what"] == "implicit")
	    if sys.argv[5] and n != int(sys.argv[5]):
	        print("%d implicit tasks in the trace, %s in the program" % (n, sys.argv[5]))
	    for kind, n in (edges.split("=") for edges in sys.argv[4].split()):
	        if r["edges"].get(kind, 0) != int(n):
	            print("%d %s edges in the trace, %s in the program" %
	                  (r["edges"].get(kind, 0), kind, n))
	except Exception as e:
	    print("bad report: %s: %s" % (type(e).__name__, e))
	END
}

# compare TMP STATUS EXPRESSIONS: what differs between TMP/plain and TMP/traced, or nothing.
compare()
{
	local tmp=$1 tasks edges members t main

	if [ "$(cat "$tmp/plain.status")" != "$2" ]; then
		echo "untraced: exit status $(cat "$tmp/plain.status"), should be $2"
		tail -q -n 3 "$tmp/plain.out" "$tmp/plain.err"
		return
	fi
	[ -e "$tmp/traced.status" ] || return
	cmp -s "$tmp/plain.status" "$tmp/traced.status" ||
		echo "exit status $(cat "$tmp/traced.status"), untraced $(cat "$tmp/plain.status")"
	diff "$tmp/plain.out" "$tmp/traced.out" >"$tmp/diff" || {
		echo "stdout differs (> is traced):"
		head -6 "$tmp/diff"
	}
	diff "$tmp/plain.err" "$tmp/traced.err" >"$tmp/diff"
	if grep -q '^<' "$tmp/diff" || [ "$(grep -c '^>' "$tmp/diff")" -gt 1 ]; then
		echo "stderr differs by more than one line (> is traced):"
		head -6 "$tmp/diff"
	fi
	[ -x "$TPTRACE" ] || return
	tasks=$(sed -n '$s/^tptrace-tasks //p' "$tmp/plain.out")
	edges=$(sed -n 's/^tptrace-edges //p' "$tmp/plain.out")
	members=$(sed -n 's/^tptrace-members //p' "$tmp/plain.out")
	main=$tmp/trace/$(cat "$tmp/traced.pid").tpt
	for t in "$tmp"/trace/*; do
		if [ "$t" = "$main" ]; then
			trace_check "$t" "$tasks" "$3" "$edges" "$members"
		elif [ -s "$t" ]; then # of a child, or from before an exec
			trace_check "$t" | sed "s|^|$(basename "$t"): |"
		fi
	done
	if [ "${tasks:-0}" != 0 ] && [ ! -e "$main" ]; then
		echo "no trace was written: $(ls "$tmp/trace")"
	fi
}

# crashes_alone TMP ENV... PROGRAM: whether a traced run that a signal ended ends so without us, too, if it
# is run often: nest_resize does on libomp 16, once in 150 runs.
crashes_alone()
{
	local tmp=$1 i

	shift
	[ -e "$tmp/traced.status" ] && [ "$(cat "$tmp/traced.status")" -gt 128 ] || return
	for i in {1..500}; do
		program_run "$tmp/again" "$@"
		cmp -s "$tmp/traced.status" "$tmp/again.status" && return
	done
	return 1
}

# has NEEDS CC: whether the compiler is what a program needs.
has()
{
	local gcc=${1%% *}

	case $2 in
	g*) [ "${2##*-}" -ge "${gcc#gcc}" ] ;;
	*) [[ $1 = *clang ]] ;;
	esac
}

# job CC OPT THREADS SOURCE: a line "pass", "skip .." or "FAIL .." a run, THREADS a comma list.
job()
{
	local cc=$1 opt=$2 threads=$3 src=$4 name dir prog tmp what n settings status wrong needs why
	local also v
	local -a vars run

	name=$(basename "${src%.*}")
	what="$runtime $name $cc $opt"
	if [ "${src##*.}" = cc ]; then
		cc=${cc/gcc/g++}
		cc=${cc/clang/clang++}
	fi
	needs=$(directive "$src" needs)
	if ! command -v "$cc" >/dev/null; then
		echo "skip $what: no $cc"
		return
	fi
	why=$(missing "$cc")
	if [ -n "$why" ]; then
		echo "skip $what: $why"
		return
	fi
	if [ -n "$needs" ] && ! has "$needs" "$cc"; then
		echo "skip $what: needs $needs"
		return
	fi
	for why in $(directive "$src" not-on); do
		if [[ " corpus $(traits "$1") " == *" $why "* ]]; then
			echo "skip $what: cannot run on $why"
			return
		fi
	done
	dir=$BUILD/work/$runtime/$variant${1}$opt
	prog=$dir/$name
	if ! wrong=$(program_build "$cc" "$opt" "$dir" "$src" "$prog"); then
		printf 'FAIL %s: does not compile\n%s\n' "$what" "$wrong"
		return
	fi
	status=$(directive "$src" status)
	read -ra vars <<<"$(directive "$src" env | tr '\n' ' ')"
	tmp=$(mktemp -d) || exit 1
	for n in ${threads//,/ }; do
		while read -r settings; do
			run=($settings "${vars[@]}")
			also=
			for v in "${run[@]}"; do
				[ "${v#LD_PRELOAD=}" = "$v" ] || also=:${v#LD_PRELOAD=}
			done
			rm -rf "$tmp"/*
			mkdir "$tmp/trace"
			program_run "$tmp/plain" "${run[@]}" "$prog"
			[ -e "$SHIM" ] && program_run "$tmp/traced" "${run[@]}" LD_PRELOAD="$SHIM$locks$also" \
				TPTRACE_OUTPUT="$tmp/trace/%p.tpt" "$prog"
			if [ "${fails_alone-}" = skip ] && [ "$(cat "$tmp/plain.status")" != "${status:-0}" ]; then
				echo "skip $what: fails untraced: $settings"
				continue
			fi
			wrong=$(compare "$tmp" "${status:-0}" "$(directive "$src" expect)")
			if [ -z "$wrong" ]; then
				echo pass
				continue
			fi
			if crashes_alone "$tmp" "${run[@]}" "$prog"; then
				echo "skip $what: the runtime crashes untraced, too: $settings"
				continue
			fi
			echo "FAIL $what: $settings"
			sed 's/^/    /' <<<"$wrong"
			echo "  ${run[*]} LD_PRELOAD=$SHIM$locks$also TPTRACE_OUTPUT=/tmp/$name.%p.tpt $prog"
		done < <(environments "$n" "$1")
	done
	rm -rf "$tmp"
}

if [ $job = yes ]; then
	job "$@"
	exit
fi

while read -r v; do
	unset "$v"
done < <(compgen -e | grep -E '^(OMP|GOMP|KMP|QTHREAD|QT|MYTH|STARPU|CILK|TBB)_|^TPTRACE_OUTPUT$|^LD_PRELOAD$')
PYTHON=$(python3 -c 'import sys; print(sys.executable)') # not a wrapper of it, which takes 100 ms
export PYTHON

[ -e "$SHIM" ] || echo "skip corpus of $runtime with its shim: no $SHIM"
[ -x "$TPTRACE" ] || echo "skip corpus of $runtime, its traces: no $TPTRACE"

sources=()
for s in $(for d in $programs; do echo "$d"/*.c "$d"/*.cc; done); do
	[ -e "$s" ] || continue
	[ -z "$(directive "$s" part-of)" ] || continue
	name=$(basename "${s%.*}")
	if [ $# = 0 ] || [[ " $* " == *" $name "* ]]; then
		sources+=("$s")
	fi
done
if [ ${#sources[@]} -lt $# ] || [ ${#sources[@]} = 0 ]; then
	echo "corpus.sh: not all of these are programs in $programs: $*" >&2
	exit 1
fi

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
for c in $configs; do
	IFS=, read -r cc opt threads <<<"$c"
	for s in "${sources[@]}"; do
		printf '%s %s %s %s %s\n' "$runtime" "$cc" "$opt" "$threads" "$s"
	done
done | xargs -P 2 -L 1 bash -c 'out=$(bash test/corpus.sh --job "$@"); [ -z "$out" ] || printf "%s\n" "$out"' job |
	tee "$log" | grep -v '^pass$'
n_pass=$(grep -c '^pass$' "$log")
n_fail=$(grep -c '^FAIL ' "$log")
n_skip=$(grep -c '^skip ' "$log")
[ -e "$SHIM" ] || n_skip=$((n_skip + 1))
about=$(about)
echo "$n_pass passed, $n_fail failed, $n_skip skipped${about:+ ($about)}"
[ "$n_fail" = 0 ] && [ "$((n_pass + n_skip))" != 0 ]
