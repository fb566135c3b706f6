#!/usr/bin/env bash
# Finds nats-server, or installs Debian's package of it, and prints its path.
set -euo pipefail

find_nats() {
  command -v nats-server || { [ -x /usr/sbin/nats-server ] && echo /usr/sbin/nats-server; }
}

if find_nats; then exit 0; fi

source "$(dirname "$0")/installPackage.sh"
install_package nats-server
if find_nats; then exit 0; fi

echo 'Tests of the cluster need nats-server 2.9 or newer, and it could not be installed. Run "apt-get install -y nats-server" as root (Debian, Ubuntu), or put nats-server on the PATH.' >&2
exit 1
