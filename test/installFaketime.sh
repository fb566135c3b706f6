#!/usr/bin/env bash
# Finds libfaketime, or installs Debian's package of it, and prints its path.
set -euo pipefail

find_faketime() {
  find /usr/lib /usr/local/lib -name 'libfaketime.so.1' -print -quit 2>/dev/null | grep .
}

if find_faketime; then exit 0; fi

source "$(dirname "$0")/installPackage.sh"
install_package libfaketime
if find_faketime; then exit 0; fi

echo 'Tests of clock jumps and of the cluster need libfaketime, and it could not be installed. Run "apt-get install -y libfaketime" as root (Debian, Ubuntu).' >&2
exit 1
