#!/bin/sh
# Calls buildah on a store of our own, so that tests neither see nor leave anything in the machine's images.
# Overlay is ten times faster than vfs but is refused inside some containers; whichever the store began with, it keeps.
#
#   docker/images/buildah.sh images
set -eu
cache=${IMAGES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/three-services/images}
mkdir -p "$cache"
try() { buildah --storage-driver "$1" --root "$cache/$1" --runroot "$cache/run-$1" "$2" >/dev/null 2>&1; }
if [ ! -s "$cache/driver" ]; then
  if try overlay info; then echo overlay >"$cache/driver"; else echo vfs >"$cache/driver"; fi
fi
driver=$(cat "$cache/driver")
exec buildah --storage-driver "$driver" --root "$cache/$driver" --runroot "$cache/run-$driver" "$@"
