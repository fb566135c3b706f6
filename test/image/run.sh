#!/usr/bin/env bash
# Runs a command in the files of an image as a container runtime would: as uid 1000, on a read-only root file system, with
# /data and /tmp writable. The network is that of the machine.
#   run.sh ROOT DATA [VOLUME ...] -- VARIABLE=value ... COMMAND...   VOLUME is a folder that both sides see under the same path
set -euo pipefail
if [ "${IN_OWN_MOUNTS:-}" = "" ]; then IN_OWN_MOUNTS=1 exec unshare --mount "$0" "$@"; fi
root="$1" data="$2"
shift 2
mount --bind "$root" "$root"
mount -t tmpfs tmpfs "$root/tmp"
while [ "$1" != -- ]; do
  mkdir -p "$root$1"
  mount --bind "$1" "$root$1"
  shift
done
shift
mount --options remount,bind,ro "$root"
mount --bind "$data" "$root/data"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot --userspec=1000:1000 "$root" /usr/bin/env --ignore-environment --chdir=/app "$@"
