#!/usr/bin/env bash
# Finds Chromium, or installs Debian's package of it, and prints its path.
set -euo pipefail

find_chromium() {
  command -v chromium || command -v chromium-browser || command -v google-chrome
}

if find_chromium; then exit 0; fi

source "$(dirname "$0")/installPackage.sh"
install_package chromium
if find_chromium; then exit 0; fi

echo 'Tests of the terminal need Chromium, and it could not be installed. Run "apt-get install -y chromium" as root (Debian, Ubuntu), or put chromium on the PATH.' >&2
exit 1
