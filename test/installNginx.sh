#!/usr/bin/env bash
# Finds nginx, or installs Debian's package of it, and prints where it is.
set -euo pipefail

find_nginx() {
  command -v nginx || { [ -x /usr/sbin/nginx ] && echo /usr/sbin/nginx; }
}

if find_nginx; then exit 0; fi

source "$(dirname "$0")/installPackage.sh"
# Debian starts a server as it installs it, but not at this runlevel.
export RUNLEVEL=1
install_package nginx
if find_nginx; then exit 0; fi

echo 'The tests of proxies need nginx, and it could not be installed here. Run "apt-get install -y nginx" as root (Debian, Ubuntu), or put an nginx into the PATH.' >&2
exit 1
