#!/usr/bin/env bash
# Finds Chromium, or installs Debian's package of it, and prints where it is.
set -euo pipefail

find_chromium() {
  command -v chromium || command -v chromium-browser || command -v google-chrome
}

if find_chromium; then exit 0; fi

as_root=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null && as_root="sudo -n"
fi
if command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  # Another run may be installing it.
  install="$as_root apt-get install -y -o DPkg::Lock::Timeout=300 chromium"
  # The lists of packages may be missing in a fresh container.
  { $install || { $as_root apt-get update && $install; }; } >&2 || true
fi
if find_chromium; then exit 0; fi

echo 'The tests of the terminal need Chromium, and it could not be installed here. Run "apt-get install -y chromium" as root (Debian, Ubuntu), or put a chromium into the PATH.' >&2
exit 1
