#!/bin/sh
# Starts a broker, waits until it listens, and ends it; the JVM then writes the classes that it has loaded to the file $1.
set -eu
export CLASSPATH='/opt/kafka/libs/*'
cat >/tmp/server.properties <<'END'
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@localhost:9093
listeners=INSIDE://localhost:9092,CONTROLLER://localhost:9093
listener.security.protocol.map=INSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=INSIDE
controller.listener.names=CONTROLLER
log.dirs=/tmp/data
END
java kafka.tools.StorageTool format --cluster-id class-archive-0000000w --config /tmp/server.properties
java -XX:TieredStopAtLevel=1 -XX:ArchiveClassesAtExit="$1" -Dlog4j2.configurationFile=/etc/kafka/docker/log4j2.properties \
  kafka.Kafka /tmp/server.properties >/tmp/log 2>&1 &
broker=$!
until grep -q 'Kafka Server started' /tmp/log; do
  kill -0 "$broker" || { cat /tmp/log; exit 1; }
  sleep 0.2
done
kill "$broker"
# 143: ended by the signal.
wait "$broker" || [ $? -eq 143 ]
test -s "$1"
