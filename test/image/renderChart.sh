#!/usr/bin/env bash
# Prints the manifests of the Helm chart for a file of values.
set -euo pipefail
cd "$(dirname "$0")"
source ../installPackage.sh
command -v go >/dev/null || install_package golang-go
for package in golang-github-masterminds-sprig-dev golang-gopkg-yaml.v3-dev; do
  dpkg --status "$package" >/dev/null 2>&1 || install_package "$package"
done
GO111MODULE=off GOPATH=/usr/share/gocode exec go run helm/render.go ../../deploy/helm/chaintape market "$@"
