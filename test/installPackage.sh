#!/usr/bin/env bash
# Installs a Debian package if the system permits it.
install_package() {
  local as_root=""
  if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null; then as_root="sudo -n"; fi
  command -v apt-get >/dev/null || return 0
  export DEBIAN_FRONTEND=noninteractive
  # Waits, since another run may be installing the same package.
  local install="$as_root apt-get install -y -o DPkg::Lock::Timeout=300 $1"
  # A fresh container may lack the package lists.
  { $install || { $as_root apt-get update && $install; }; } >&2 || true
}
