#!/usr/bin/env bash
# Installs a package of Debian's, where that can be done.
install_package() {
  local as_root=""
  if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null; then as_root="sudo -n"; fi
  command -v apt-get >/dev/null || return 0
  export DEBIAN_FRONTEND=noninteractive
  # Another run may be installing it.
  local install="$as_root apt-get install -y -o DPkg::Lock::Timeout=300 $1"
  # The lists of packages may be missing in a fresh container.
  { $install || { $as_root apt-get update && $install; }; } >&2 || true
}
