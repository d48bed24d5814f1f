# The images that compose.yaml and the Dockerfiles of the apps build on, made from Debian packages, npm, PyPI and Maven
# Central for machines where no image registry can be reached. docker/engine/run builds them under the names of the real ones.
# The context holds what comes from elsewhere: debian.tar, node, npm/, kafka/libs/, nginx, valkey-server.

FROM scratch AS debian
ADD debian.tar /
CMD ["bash"]

FROM debian AS node
COPY node /usr/local/bin/node
COPY LICENSE /usr/local/LICENSE
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
 && groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node
# The certificate authorities of the machine, so that the build reaches the package registry that the machine reaches.
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
CMD ["node"]

# The libraries that a C++ program needs and nothing else: no shell, no package manager.
FROM debian AS distroless-files
RUN mkdir -p /out/usr/bin /out/usr/sbin /out/usr/lib /out/usr/lib64 /out/tmp /out/home/nonroot \
 && ln -s usr/bin usr/sbin usr/lib usr/lib64 /out && chmod 1777 /out/tmp \
 && for package in base-files libc6 libgcc-s1 libstdc++6 tzdata ca-certificates netbase; do \
      if [ -d "/usr/share/doc/$package" ]; then dpkg -L "$package"; fi; \
    done | grep -E '/(x86_64-linux-gnu|aarch64-linux-gnu|lib64|zoneinfo|ca-certificates)/|copyright$|/os-release$|ld-linux' \
         | while read -r path; do [ -d "$path" ] || echo "${path#/}"; done > /tmp/files \
 && sed -E -i 's#^(lib|lib64|bin|sbin)/#usr/\1/#' /tmp/files \
 && tar --create --directory / --files-from /tmp/files | tar --extract --directory /out \
 && mkdir -p /out/var/lib/dpkg/status.d \
 && for package in base-files libc6 libgcc-s1 libstdc++6 tzdata ca-certificates netbase; do \
      if [ -d "/usr/share/doc/$package" ]; then dpkg --status "$package" > "/out/var/lib/dpkg/status.d/$package"; fi; \
    done \
 && mkdir -p /out/etc/ssl/certs && cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/ \
 && printf 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' > /out/etc/passwd \
 && printf 'root:x:0:\nnonroot:x:65532:\n' > /out/etc/group
FROM scratch AS distroless
COPY --from=distroless-files /out /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt

FROM debian AS nginx
COPY nginx /usr/sbin/nginx
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends curl gettext-base \
 && rm -rf /var/lib/apt/lists/* && groupadd --gid 101 --non-unique nginx && useradd --uid 101 --non-unique --gid 101 nginx
COPY nginx-entrypoint.sh /docker-entrypoint.sh
ENTRYPOINT ["/docker-entrypoint.sh"]
EXPOSE 80
STOPSIGNAL SIGQUIT
CMD ["nginx", "-g", "daemon off;"]

FROM debian AS kafka
RUN apt-get update -qq && mkdir -p /usr/share/man/man1 \
 && apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 1000 appuser && useradd --uid 1000 --gid appuser --create-home appuser \
 && mkdir -p /opt/kafka/bin /opt/kafka/config /etc/kafka/docker /mnt/shared/config /var/lib/kafka/data \
 && for tool in topics=org.apache.kafka.tools.TopicCommand configs=kafka.admin.ConfigCommand \
      log-dirs=org.apache.kafka.tools.LogDirsCommand broker-api-versions=org.apache.kafka.tools.BrokerApiVersionsCommand \
      consumer-groups=org.apache.kafka.tools.consumer.group.ConsumerGroupCommand \
      console-consumer=org.apache.kafka.tools.consumer.ConsoleConsumer get-offsets=org.apache.kafka.tools.GetOffsetShell \
      metadata-quorum=org.apache.kafka.tools.MetadataQuorumCommand; do \
      printf '#!/bin/sh\nexec java -XX:TieredStopAtLevel=1 -XX:SharedArchiveFile=/opt/kafka/kafka.jsa -cp "/opt/kafka/libs/*" %s "$@"\n' "${tool#*=}" > "/opt/kafka/bin/kafka-${tool%%=*}.sh"; \
    done && chmod 755 /opt/kafka/bin/*.sh && chown -R appuser /opt/kafka/config /var/lib/kafka /mnt/shared/config
COPY kafka-entrypoint.sh /etc/kafka/docker/run
COPY kafka-log4j2.properties /etc/kafka/docker/log4j2.properties
COPY kafka/libs /opt/kafka/libs
COPY kafka-classes.sh /tmp/
# An archive of the classes that a broker loads, as the real image has it: without it, a start takes twice the processor time.
RUN sh /tmp/kafka-classes.sh /opt/kafka/kafka.jsa && rm -rf /tmp/*
USER appuser
EXPOSE 9092
CMD ["/etc/kafka/docker/run"]

FROM debian AS valkey
COPY --chmod=755 valkey-server /usr/local/lib/valkey-server
# The real image is compiled with protected mode off.
RUN printf '#!/bin/sh\nexec /usr/local/lib/valkey-server --protected-mode no "$@"\n' > /usr/local/bin/valkey-server.sh \
 && mv /usr/local/bin/valkey-server.sh /usr/local/bin/valkey-server && chmod 755 /usr/local/bin/valkey-server
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends redis-tools && rm -rf /var/lib/apt/lists/* \
 && ln -s /usr/bin/redis-cli /usr/local/bin/valkey-cli \
 && groupadd --gid 1000 valkey && useradd --uid 999 --gid 1000 valkey && mkdir /data && chown valkey /data
VOLUME /data
WORKDIR /data
EXPOSE 6379
CMD ["valkey-server"]

FROM debian AS blackbox-exporter
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends prometheus-blackbox-exporter && rm -rf /var/lib/apt/lists/*
EXPOSE 9115
ENTRYPOINT ["/usr/bin/prometheus-blackbox-exporter"]
