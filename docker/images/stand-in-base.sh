#!/bin/sh
# Makes an image that stands in for the Dockerfiles' base where no image registry can be reached: a minimal Debian of the
# same release, the workspace's own pinned Node, npm, and the user `node` (1000) of the real one. Made once, then cached.
# Needs root, buildah and debootstrap, and `npm ci` done in the workspace.
#
#   docker/images/stand-in-base.sh && docker/images/build.sh ip-locate
set -eu
here=$(cd "$(dirname "$0")" && pwd)
workspace=$(cd "$here/../.." && pwd)
name=docker.io/library/node:24-bookworm-slim
buildah() { sh "$here/buildah.sh" "$@"; }

node="$workspace/node_modules/node/bin/node"
version=$("$node" --version)
if [ "$(buildah inspect --type image --format '{{index .Docker.Config.Labels "stand-in"}}' $name 2>/dev/null)" = "$version" ]; then
  exit 0
fi

container=$(buildah from scratch)
trap 'buildah rm "$container" >/dev/null' EXIT
root=$(buildah mount "$container")
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" >"$root.debootstrap.log" 2>&1 ||
  { tail -n 20 "$root.debootstrap.log" >&2; exit 1; }
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*

mkdir -p "$root/usr/local/lib/node_modules"
cp -L "$node" "$root/usr/local/bin/node"
cp -R "$(npm root -g)/npm" "$root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
chroot "$root" groupadd --gid 1000 node
chroot "$root" useradd --uid 1000 --gid node --create-home node

# Whatever lets this machine reach its package registry lets the build reach it too.
buildah config --env "npm_config_registry=$(npm config get registry)" "$container"
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  cp "$NODE_EXTRA_CA_CERTS" "$root/etc/ssl/certs/ca-certificates.crt"
  buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
fi
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  --label "stand-in=$version" --cmd '["node"]' "$container"
buildah umount "$container" >/dev/null
buildah commit --quiet "$container" "$name" >/dev/null
