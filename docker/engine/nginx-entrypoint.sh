#!/bin/sh
# Does what the entry point of the real image does for compose.yaml: local resolvers, scripts, and templates by envsubst.
set -eu
if [ -n "${NGINX_ENTRYPOINT_LOCAL_RESOLVERS:-}" ]; then
  NGINX_LOCAL_RESOLVERS=$(awk '$1 == "nameserver" { printf "%s ", ($2 ~ ":") ? "[" $2 "]" : $2 }' /etc/resolv.conf)
  export NGINX_LOCAL_RESOLVERS
fi
for script in /docker-entrypoint.d/*.envsh; do
  # shellcheck source=/dev/null
  [ ! -x "$script" ] || . "$script"
done
templates=/etc/nginx/templates
output=${NGINX_ENVSUBST_OUTPUT_DIR:-/etc/nginx/conf.d}
if [ -d "$templates" ]; then
  names=$(env | sed -n 's/^\([A-Za-z_][A-Za-z_0-9]*\)=.*/${\1}/p')
  find "$templates" -name '*.template' | while read -r file; do
    target=$output/${file#"$templates"/}
    mkdir -p "$(dirname "$target")"
    envsubst "$names" <"$file" >"${target%.template}"
  done
fi
exec "$@"
