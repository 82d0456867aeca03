# SPDX-License-Identifier: MIT
"""fields.py - the fields of definitions, for reader.py, as section 7 of FORMAT.md has them."""
# The fields of a definition, in the order of dump.
FIELDS = {"runtime": ("name", "version", "workers", "calls-ps", "tokens", "note", "unlinked"),
          "module": ("start", "end", "bias", "build-id", "path"),
          "counter": ("name", "unit"),
          "path": ("site", "parent"),
          "site": ("runtime", "ret", "fn", "ret-module", "fn-module", "name", "file", "line", "at", "at-file",
                   "at-line"),
          "frame": ("pc", "fn", "module", "name", "file", "line", "header", "around", "hidden", "op"),
          "stack": ("frame", "parent")}
HEXADECIMAL = ("start", "end", "bias", "ret", "fn", "pc")
DECIMAL = ("workers", "calls-ps", "tokens", "runtime", "ret-module", "fn-module", "line", "at-line", "site", "parent",
           "frame", "module")
ALWAYS = {**dict.fromkeys(HEXADECIMAL + DECIMAL, "0"), "ret-module": None, "fn-module": None,
          "at-line": None, "calls-ps": None, "tokens": None, "module": None}
NONE_IF_0 = ("stack", "parent"), ("frame", "fn"), ("frame", "line"), ("frame", "hidden")
MARKS = ("stop", "start", "phase", "begin", "end")
