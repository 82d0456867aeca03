#!/bin/sh
# SPDX-License-Identifier: MIT
# chroot.sh FOLDER - the source package in FOLDER is built in a new Debian, lintian finds nothing in it, and in
# another new Debian it is installed, records a program, and is removed without a trace.
# SUITE is the release of this machine, else; MIRROR where apt has it from.
set -eu
sources=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=scripts/chroot.sh
. "$here/scripts/chroot.sh"

why=$(chroot_missing)
[ -z "$why" ] || { echo "skip packages in a chroot: $why"; exit 0; }
SUITE=${SUITE:-$(own_release)}
MIRROR=$(debian_mirror)
[ -n "$MIRROR" ] || { echo "skip packages in a chroot: apt has no mirror of Debian"; exit 0; }

work=$(mktemp -d "${TMPDIR:-/var/tmp}/tptrace-chroot.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT

new_root() {
	cp -a "$work/base" "$1"
	mkdir -p "$1/packages"
}

say() {
	echo "packages: $*"
}

say "debootstrap of $SUITE"
new_debian "$SUITE" "$work/base" "$MIRROR" >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }

say "building in one"
new_root "$work/build"
cp "$sources"/tptrace_* "$work/build/packages"
inside "$work/build" >"$work/log" 2>&1 <<'EOF' || { tail -n 40 "$work/log"; exit 1; }
apt-get update -qq
apt-get install -y -qq --no-install-recommends dpkg-dev build-essential lintian
cd /packages
apt-get build-dep -y -qq --no-install-recommends ./tptrace_*.dsc
useradd -m builder
chown -R builder: /packages
su builder -c 'dpkg-source -x tptrace_*.dsc tree && cd tree && dpkg-buildpackage --no-sign'
EOF
ls "$work"/build/packages/*.deb
cat >"$work/lint" <<'EOF'
cd /packages
su builder -c 'lintian --display-info --fail-on error,warning tptrace_*.changes'
EOF
inside "$work/build" <"$work/lint" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[ ! -s "$work/log" ] || cat "$work/log"
say "lintian finds no error and warns of nothing"

say "installing in another"
new_root "$work/user"
cp "$work"/build/packages/tptrace_*.deb "$work"/build/packages/tptrace-dev_*.deb "$here/test/demo/sortlines.c" "$work/user/packages"
inside "$work/user" 2>"$work/log" <<'EOF' || { tail -n 40 "$work/log"; exit 1; }
fail() { echo "FAIL $*"; exit 1; }
apt-get update -qq
apt-get install -y -qq --no-install-recommends gcc libc6-dev pkg-config jq >/dev/null
apt-get install -y -qq --no-install-recommends /packages/*.deb >/dev/null
dpkg -L tptrace tptrace-dev | while read -r file; do [ -d "$file" ] || echo "$file"; done >/tmp/files
for file in /usr/bin/tptrace /usr/bin/tptrace-report /usr/include/tptrace.h /usr/lib/tptrace/libtptrace.so /usr/lib/tptrace/libtpprobe_counters.so \
	/usr/share/bash-completion/completions/tptrace /usr/share/zsh/vendor-completions/_tptrace; do
	grep -qx "$file" /tmp/files || fail "$file is in no package"
done
grep -q '^/usr/lib/.*-linux-gnu/libtpshim_omp.so$' /tmp/files || fail "the loader has no libtpshim_omp.so"

useradd -m user
cd /home/user
cp /packages/sortlines.c .
# shellcheck disable=SC2046 # words
gcc -O2 -g -fopenmp $(pkg-config --cflags --libs tptrace) -include tptrace.h -o sortlines sortlines.c
cat >demo <<'END'
set -eu
LD_PRELOAD=libtpshim_omp.so ./sortlines /usr/include >one 2>said
! grep ERROR said
tptrace-report >report
tptrace-report --strict --json >by-name.json
tptrace record -o two.tpt -- ./sortlines /usr/include >two
cmp one two
tptrace report --strict --json two.tpt >recorded.json
cat report
END
su user -c 'sh demo' || fail "the demo: $(cat said)"
for report in by-name recorded; do
	jq -e '.tasks > 100 and .complete and .events_lost == 0 and (.runtimes[0].name == "libgomp") and
		any(.kinds[]; (.file // "") | endswith("sortlines.c"))' $report.json >/dev/null ||
		fail "$report: $(cut -c1-2000 $report.json)"
done

apt-get purge -y -qq tptrace tptrace-dev >/dev/null
while read -r file; do [ ! -e "$file" ] && [ ! -L "$file" ] || fail "$file is left"; done </tmp/files
rm -r /packages /home/user
left=$(find / -xdev \( -name '*tptrace*' -o -name '*tpshim*' \) ! -path '/var/lib/dpkg/*' ! -path '/proc/*')
[ -z "$left" ] || fail "left: $left"
LD_PRELOAD=libtpshim_omp.so /bin/true 2>&1 | grep -q 'cannot be preloaded' || fail "the loader still has the shim"
EOF
say "installed, recorded a program of OpenMP by name and by command, removed: nothing is left"
