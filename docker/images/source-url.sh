#!/bin/sh
# Prints where the sources of this clone are to be had, for the images' label: $SOURCE, else the remote `origin` without
# the password it may hold, else `unknown`. A folder of this machine is no address for others.
set -eu
url=${SOURCE:-$(git remote get-url origin 2>/dev/null || true)}
case $url in
  http://* | https://* | ssh://*) printf '%s\n' "$url" | sed -E 's#://[^@/]*@#://#' ;;
  *@*:*) printf '%s\n' "$url" ;;
  *) echo unknown ;;
esac
