#!/bin/sh
# Builds images with buildah, no daemon needed: docker/images/build.sh [app …], all three when none is named.
# Reproducible: every time stamp is the commit's (or SOURCE_DATE_EPOCH), so the same commit (or REVISION) gives the same layers.
# No layer cache: buildah takes a layer of another commit for this one's when the files are alike, time stamps and labels included.
# BUILD_ARGS adds arguments, e.g. BUILD_ARGS='--build-arg BUNDLED_DATA=false' docker/images/build.sh ip-locate
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
[ $# -gt 0 ] || set -- release-web ops-intake ip-locate
source=$(sh "$here/source-url.sh")
revision=${REVISION:-$(git rev-parse HEAD)}
epoch=${SOURCE_DATE_EPOCH:-$(git show -s --format=%ct HEAD)}
for app; do
  version=$(sed -n 's/.*"version": "\(.*\)".*/\1/p' "apps/$app/package.json")
  # shellcheck disable=SC2086 # BUILD_ARGS holds several words
  sh "$here/buildah.sh" bud --quiet --format docker --pull=false --isolation chroot --no-cache --force-rm --timestamp "$epoch" \
    --build-arg NODE_DIGEST= --build-arg "VERSION=$version" --build-arg "REVISION=$revision" \
    --build-arg "CREATED=$(date -u -d "@$epoch" +%FT%TZ)" --build-arg "SOURCE=$source" ${BUILD_ARGS:-} \
    --tag "${TAG_PREFIX:-localhost/}$app:${TAG:-dev}" --file "apps/$app/Dockerfile" .
done
