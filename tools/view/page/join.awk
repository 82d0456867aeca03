# SPDX-License-Identifier: MIT
# join.awk - joins the page's modules, named in order, into one script, without indentation (tools/view/README.md).
function name_of(path) { sub(/.*\//, "", path); sub(/\.js$/, "", path); return path }
function finish() { if (at != "") printf "return {%s};\n})();\n", out; known[at] }
# joined=1: a second script, which uses the modules of the first
BEGIN { print "\"use strict\";" (joined ? "" : "\nconst modules = {};") }
FNR == 1 { finish(); at = name_of(FILENAME); out = ""; printf "modules[\"%s\"] = (() => {\n", at }
{ sub(/^ +/, "") }
/^import /, / from ".*";$/ {
	line = line $0 " "
	if ($0 !~ / from ".*";$/) next
	names = line; sub(/^import /, "", names); sub(/ from .*/, "", names); gsub(/ as /, ": ", names); sub(/^\*: /, "", names)
	from = line; sub(/.* from "\.\//, "", from); sub(/\.js";.*/, "", from)
	if (!joined && !(from in known)) { print "join.awk: " at ".js comes before " from ".js" >"/dev/stderr"; exit failed = 1 }
	printf "const %s = modules[\"%s\"];\n", names, from
	line = ""
	next
}
/^\/\/ SPDX/ { next }
/^export / {
	sub(/^export /, "")
	exported = $0; sub(/^(async )?(function\*?|const|class) /, "", exported); sub(/[^A-Za-z0-9_$].*/, "", exported)
	out = out " " exported ","
}
{ print }
END { if (!failed) finish(); exit failed }
