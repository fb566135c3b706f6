#!/usr/bin/env bash
# Finds nginx, or installs Debian's package of it, and prints its path.
set -euo pipefail

find_nginx() {
  command -v nginx || { [ -x /usr/sbin/nginx ] && echo /usr/sbin/nginx; }
}

if find_nginx; then exit 0; fi

source "$(dirname "$0")/installPackage.sh"
# At this runlevel Debian does not start the server after the installation.
export RUNLEVEL=1
install_package nginx
if find_nginx; then exit 0; fi

echo 'Tests of proxies need nginx, and it could not be installed. Run "apt-get install -y nginx" as root (Debian, Ubuntu), or put nginx on the PATH.' >&2
exit 1
