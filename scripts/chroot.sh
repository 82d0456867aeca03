# SPDX-License-Identifier: MIT
# chroot.sh - what scripts share that run Debian releases in folders; sourced, not run.
# shellcheck shell=sh
#
# Mounts are made in a namespace of their own, and gone when its processes are, however these end.

PATH=$PATH:/usr/sbin:/sbin

# chroot_missing - says what chroots need and this machine or user has not, or nothing
chroot_missing() {
	if [ "$(id -u)" != 0 ]; then
		echo "needs root"
	elif ! command -v debootstrap >/dev/null; then
		echo "debootstrap is missing"
	elif ! unshare -mp --fork --kill-child true 2>/dev/null; then
		echo "needs namespaces of mounts and processes"
	fi
}

# own_release - the code name of this machine's
own_release() {
	# shellcheck disable=SC1091 # is there on every Debian
	(. /etc/os-release && echo "${VERSION_CODENAME:-}")
}

# debian_mirror - where apt has Debian from: MIRROR, or the first of this machine's sources
debian_mirror() {
	echo "${MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' \
		"Codename: $(own_release)" | head -n 1)}"
}

# new_debian RELEASE ROOT MIRROR - makes the folder ROOT of it, with this machine's way to the network
new_debian() {
	debootstrap --variant=minbase "$1" "$2" "$3" || return
	cp /etc/resolv.conf "$2/etc/"
	# of a mirror that is a copy
	echo 'Acquire::Check-Valid-Until "false";' >"$2/etc/apt/apt.conf.d/90valid"
	[ ! -e /etc/apt/apt.conf ] || cp /etc/apt/apt.conf "$2/etc/apt/"
}

# inside ROOT - runs what stdin says there as root; kill $inside_pid ends all of it
inside() {
	exec 3<&0
	env --default-signal=INT,QUIT unshare -mp --fork --kill-child sh -eu -c '
		mount -t proc proc "$1/proc"
		mount --rbind /sys "$1/sys"
		mkdir -p "$1/dev/shm" "$1/dev/pts"
		mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
		mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$1/dev/pts"
		exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive sh -eu -s' sh "$1" <&3 3<&- &
	inside_pid=$!
	exec 3<&-
	wait "$inside_pid"
}

trap '[ -z "${inside_pid-}" ] || kill -KILL "$inside_pid" 2>/dev/null; exit 1' INT TERM HUP
