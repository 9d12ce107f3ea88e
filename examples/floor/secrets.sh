#!/bin/sh
# Makes what is secret, once: passwords for compose.yml, and the token with which Prometheus reads a table's /metrics.
set -eu
umask 077
cd "$(dirname "$0")"
[ -e .env ] || for name in POSTGRES ARCHIVE GRAFANA; do
    echo "${name}_PASSWORD=$(openssl rand -hex 24)"
done > .env
[ -e prometheus/metrics.token ] || openssl rand -hex 32 > prometheus/metrics.token
# Prometheus runs as nobody in its image.
chown 65534 prometheus/metrics.token
