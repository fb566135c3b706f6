#!/usr/bin/env bash
# Builds deploy/Dockerfile without a Docker daemon and prints the name of the image. Needs root on Debian or Ubuntu.
set -euo pipefail
cd "$(dirname "$0")/../.."
name=localhost/chaintape

source test/installPackage.sh
for program in buildah debootstrap; do
  command -v "$program" >/dev/null || install_package "$program"
done
base="$(test/image/makeBase.sh)"

# The build stage installs packages as this machine does: with its npm settings and certificates.
settings="$(mktemp)"
trap 'rm -f "$settings"' EXIT
cat ~/.npmrc >"$settings" 2>/dev/null || true
volumes=(--volume "$settings:/root/.npmrc:ro")
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  echo "cafile=/extra-ca.pem" >>"$settings"
  volumes+=(--volume "$NODE_EXTRA_CA_CERTS:/extra-ca.pem:ro")
fi
buildah bud --isolation=chroot --format docker "${volumes[@]}" --build-arg "NODE_IMAGE=$base" \
  -f deploy/Dockerfile -t "$name" . >&2
echo "$name"
