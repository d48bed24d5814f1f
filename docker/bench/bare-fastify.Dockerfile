# A bare Fastify, as `npm install fastify` leaves it, in an image like those of the services. Its context is libs/workspace/bench.
FROM docker.io/library/node:24-bookworm-slim AS build
WORKDIR /app
ARG FASTIFY
RUN npm install --ignore-scripts --no-audit --omit=dev fastify@${FASTIFY}
COPY bare-fastify.js main.mjs

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY --from=build /app ./
USER 1000:1000
CMD ["node", "main.mjs"]
