# One file, one target for each service:
#   docker build --target gateway --tag ghcr.io/expert-relay/gateway:0.1.0 .
#
# Each image holds Node and one folder of a few megabytes. It runs as a user without a name, needs no shell, and writes
# nothing to its file system. Any base with Node 20.19 or later will do. For a release, name both by digest: a tag can be moved.
#   --build-arg BASE_IMAGE=node:24-bookworm-slim@sha256:...
ARG BASE_IMAGE=node:24-bookworm-slim
ARG BUILD_IMAGE=node:24-bookworm-slim

# What decides which packages are installed, and nothing else: so that they are installed again only when it changes.
FROM ${BUILD_IMAGE} AS manifests
WORKDIR /src
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY --from=manifests /src .
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY . .
RUN node --import tsx scripts/images/make-app.ts /apps

FROM ${BASE_IMAGE} AS runtime
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.source="https://github.com/expert-relay/expert-relay" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.vendor="Expert Relay" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Memory that glibc's arenas would keep goes back to the system; images of "distroless" have Node in /nodejs/bin.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=131072 \
    PATH=/usr/local/bin:/usr/bin:/bin:/nodejs/bin
WORKDIR /app
USER 65532:65532
ENTRYPOINT ["node"]

FROM runtime AS gateway
LABEL org.opencontainers.image.title="Expert Relay: gateway"
EXPOSE 8080 9090
COPY --from=build /apps/gateway .
CMD ["services/gateway/dist/main.js"]

# Carries the programs of administrators too: services/requests/dist/admin.js and packages/db/dist/migrate.js.
FROM runtime AS requests
LABEL org.opencontainers.image.title="Expert Relay: requests"
EXPOSE 8081 9090
COPY --from=build /apps/requests .
CMD ["services/requests/dist/main.js"]

FROM runtime AS messages
LABEL org.opencontainers.image.title="Expert Relay: messages"
EXPOSE 8082 9090
COPY --from=build /apps/messages .
CMD ["services/messages/dist/main.js"]

FROM runtime AS hub
LABEL org.opencontainers.image.title="Expert Relay: hub"
EXPOSE 8083 9090
COPY --from=build /apps/hub .
CMD ["services/hub/dist/main.js"]

FROM runtime AS expiry-worker
LABEL org.opencontainers.image.title="Expert Relay: expiry-worker"
EXPOSE 9090
COPY --from=build /apps/expiry-worker .
CMD ["services/expiry-worker/dist/main.js"]

FROM runtime AS notifier
LABEL org.opencontainers.image.title="Expert Relay: notifier"
EXPOSE 8085 9090
COPY --from=build /apps/notifier .
CMD ["services/notifier/dist/main.js"]

FROM runtime AS dashboard
LABEL org.opencontainers.image.title="Expert Relay: dashboard"
EXPOSE 8084 9090
COPY --from=build /apps/dashboard .
CMD ["services/dashboard/dist/main.js"]
