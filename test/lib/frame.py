# SPDX-License-Identifier: MIT
"""frame.py - what most checks are: options, and tests by name, each in a folder of its own.

    ARGS = frame.arguments(__doc__)         --build and names of tests; ARGS.build, ARGS.tptrace, ARGS.shim_omp

    @frame.test                             raises what is wrong; returns why it was skipped, if it was
    def it_holds(folder): ..

    sys.exit(frame.run("record", ARGS))     or, of tests by their names: frame.tests_in(globals())
"""
import argparse
import os

import tracing

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SAID_MOST = 2000
TESTS = []


class Skip(Exception):
    """Why a test cannot be made here."""


def options(doc, **more):
    """--build, --tptrace and `more`: of each option its default, or (default, help).  False makes a switch, a type takes
    a value and has none at first, `list` takes several; "*" takes names of tests that are no options."""
    parser = argparse.ArgumentParser(description=doc.strip().splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--tptrace", help="another one than the build's")
    for name, default in more.items():
        default, told = default if isinstance(default, tuple) else (default, None)
        how = {"nargs": "*"} if default == "*" else {"action": "store_true"} if default is False else \
            {"action": "append"} if default is list else {"type": default} if isinstance(default, type) else \
            {"type": type(default), "default": default}
        parser.add_argument(name if default == "*" else "--" + name, help=told, **how)
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    args.tptrace = os.path.abspath(args.tptrace or os.path.join(args.build, "tptrace"))
    args.shim_omp = os.path.join(args.build, "libtpshim_omp.so")
    return args


def arguments(doc, **more):
    return options(doc, only=("*", "tests of this name; if there is none, those whose name holds it"), **more)


def test(function):
    TESTS.append((function.__name__, function))
    return function


def tests_in(names, make=lambda folder: folder):
    """The functions test_* among a module's names; each is given what `make` makes of its folder."""
    return [(name[len("test_"):], lambda folder, function=function: function(make(folder)))
            for name, function in names.items() if name.startswith("test_")]


def chosen(tests, only):
    names = [name for name, _ in tests]
    unknown = [word for word in only if not any(word in name for name in names)]
    if unknown:
        raise SystemExit(f"no test {', '.join(unknown)}: {', '.join(names)}")
    return [(name, function) for name, function in tests
            if not only or any(word == name or word not in names and word in name for word in only)]


def outcome(function, folder):
    """("ok", ""), ("skip", why) or ("FAIL", what)."""
    try:
        why = function(folder)
        return ("skip", why) if why and isinstance(why, str) else ("ok", "")
    except Skip as skip:
        return "skip", str(skip)
    except Exception as error:  # pylint: disable=broad-except # every kind is a failure
        where = error.__traceback__
        while where.tb_next and where.tb_frame.f_code.co_filename == __file__:
            where = where.tb_next
        return "FAIL", f"line {where.tb_lineno}: {type(error).__name__}: {str(error)[:SAID_MOST]}"


def run(title, args, tests=None, failed=lambda name, folder: None):
    """The exit status.  failed: sees what a test that failed left in its folder."""
    tracing.heed_signals()
    counts = {"ok": 0, "FAIL": 0, "skip": 0}
    for name, function in chosen(TESTS if tests is None else list(tests), args.only):
        with tracing.new_folder(f"tptrace-{title}.") as folder:
            result, text = outcome(function, folder)
            if result == "FAIL":
                failed(name, folder)
        counts[result] += 1
        if text:
            print(f"{result} {name}: {text}", flush=True)
    print(f"{title}: {counts['ok']} passed, {counts['FAIL']} failed, {counts['skip']} skipped")
    return 1 if counts["FAIL"] or not counts["ok"] else 0


def verdict(title, results):
    """The exit status of checks that are not tests by name: (name, what is wrong, in one text or several) of each."""
    n = failed = 0
    for name, wrong in results:
        wrong = [wrong] if isinstance(wrong, str) and wrong else list(wrong or ())
        n, failed = n + 1, failed + bool(wrong)
        print(*(f"{name}: {what}" for what in wrong), sep="\n", end="\n" if wrong else "", flush=True)
    print(f"{title}: {n - failed} passed, {failed} failed")
    return 1 if failed or not n else 0
