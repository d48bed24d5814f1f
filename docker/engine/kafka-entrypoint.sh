#!/bin/sh
# Does what the entry point of the real image does: KAFKA_* becomes server.properties and the storage is formatted, by the
# program that the real image calls for it, then the broker takes the place of this shell.
set -eu
export CLASSPATH='/opt/kafka/libs/*'
result=$(java -XX:TieredStopAtLevel=1 -XX:SharedArchiveFile=/opt/kafka/kafka.jsa kafka.docker.KafkaDockerWrapper setup --default-configs-dir /etc/kafka/docker \
  --mounted-configs-dir /mnt/shared/config --final-configs-dir /opt/kafka/config 2>&1) || case $result in
  *'already formatted'*) ;;
  *) echo "$result"; exit 1 ;;
esac
# shellcheck disable=SC2086 # it holds several words
exec java ${KAFKA_HEAP_OPTS:-} ${KAFKA_OPTS:-} -XX:TieredStopAtLevel=1 -XX:SharedArchiveFile=/opt/kafka/kafka.jsa -Dlog4j2.configurationFile=/etc/kafka/docker/log4j2.properties \
  kafka.Kafka /opt/kafka/config/server.properties
