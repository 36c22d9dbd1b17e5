{{/* What the schema cannot say, and Kubernetes would not report. Each refusal says what to do. */}}

{{- define "relay.check" -}}
{{- if not .Values.publicUrl }}
{{- fail "publicUrl is empty. Set it to the address by which agents and experts reach the relay: --set publicUrl=https://relay.example.com" }}
{{- end }}
{{- if not .Values.secrets.existing }}
{{- $trial := or .Values.postgres.trial.enabled .Values.redis.trial.enabled .Values.nats.trial.enabled }}
{{- fail (printf "secrets.existing is empty: the chart makes no secrets. Make one, then add --set secrets.existing=relay-secrets:\n\n  %snode make-secrets.mjs %s| kubectl create secret generic relay-secrets --namespace %s --from-env-file=/dev/stdin\n\nmake-secrets.mjs is in the folder of this chart." (ternary "" "DATABASE_URL=... NATS_URL=... REDIS_URL=... " $trial) (ternary (printf "--trial %s " (include "relay.prefix" .)) "" $trial) .Release.Namespace) }}
{{- end }}
{{- if and (or .Values.ingress.enabled .Values.gatewayApi.enabled) (not .Values.trustedProxies) }}
{{- fail "trustedProxies is empty although a proxy is in front: all callers would share the rate limit of its address. Set it to the addresses of the proxy's pods, for example --set 'trustedProxies={10.42.3.17}', not the whole pod network; kubectl get pods -A -o wide shows them." }}
{{- end }}
{{- $routes := or (and .Values.ingress.enabled (not .Values.ingress.hub)) (and .Values.gatewayApi.enabled (not .Values.gatewayApi.hub)) }}
{{- if and $routes (not .Values.hub.publicUrl) }}
{{- fail "hub.publicUrl is empty although no route leads to the hub. Set it to the address by which the hub is reached, or set ingress.hub (gatewayApi.hub) to true." }}
{{- end }}
{{- $hosts := list (urlParse .Values.publicUrl).host (urlParse (include "relay.hubUrl" .)).host | uniq }}
{{- if and .Values.ingress.enabled .Values.ingress.hub .Values.ingress.tlsSecret (not .Values.ingress.hubTlsSecret) (gt (len $hosts) 1) }}
{{- fail (printf "ingress.hubTlsSecret is empty although the hub has a host of its own, %s. Set it to the Secret with the certificate of that host, or to %s if that certificate is for both. With cert-manager the two must differ." (last $hosts) .Values.ingress.tlsSecret) }}
{{- end }}
{{- /* An address is the hub's or the gateway's. Routes do not see its port. */}}
{{- $gateway := urlParse (lower .Values.publicUrl) }}
{{- $hub := urlParse (lower (include "relay.hubUrl" .)) }}
{{- $areRouted := or (and .Values.ingress.enabled .Values.ingress.hub) (and .Values.gatewayApi.enabled .Values.gatewayApi.hub) }}
{{- $isSameHost := eq (regexReplaceAll ":[0-9]+$" $gateway.host "") (regexReplaceAll ":[0-9]+$" $hub.host "") }}
{{- if and (not $hub.path) (or (eq $gateway.host $hub.host) (and $areRouted $isSameHost)) }}
{{- fail (printf "hub.publicUrl is on the host of publicUrl, where all calls lead to the gateway. Leave it empty, which is %s/hub, or give the hub a host of its own: https://events.example.com" .Values.publicUrl) }}
{{- end }}
{{- if and .Values.postgres.trial.enabled .Values.postgres.external.pooler }}
{{- fail "postgres.external.pooler does not go with postgres.trial: the trial server has no pooler. Remove one of the two." }}
{{- end }}
{{- if and .Values.monitoring.podMonitor.enabled .Values.networkPolicy.enabled (not .Values.networkPolicy.metricsFrom) }}
{{- fail "networkPolicy.metricsFrom is empty: Prometheus could not read the metrics. Set it to the namespace of Prometheus, for example --set 'networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.kubernetes\\.io/metadata\\.name=monitoring'." }}
{{- end }}
{{- if ge (int .Values.shutdown.pauseSeconds) (int .Values.shutdown.limitSeconds) }}
{{- fail (printf "shutdown.pauseSeconds is %d and shutdown.limitSeconds %d: a pod would end during its pause, and cut off its calls. Raise limitSeconds, or lower pauseSeconds." (int .Values.shutdown.pauseSeconds) (int .Values.shutdown.limitSeconds)) }}
{{- end }}
{{- $email := or (hasKey .Values.settings "RELAY_EMAIL_FROM") (hasKey .Values.services.notifier.env "RELAY_EMAIL_FROM") }}
{{- if and $email .Values.networkPolicy.enabled (not .Values.networkPolicy.smtpPorts) (not .Values.networkPolicy.extraEgress) }}
{{- fail "networkPolicy.smtpPorts is empty although RELAY_EMAIL_FROM is set: no email could leave the notifier. Set it to the port of your mail server, for example --set 'networkPolicy.smtpPorts={465}'." }}
{{- end }}
{{- range $variable := list "OTEL_EXPORTER_OTLP_ENDPOINT" "RELAY_WEBHOOK_ALLOWED_NETWORKS" }}
{{- $isSet := include "relay.valuesOf" (dict "root" $ "variable" $variable) | fromJsonArray }}
{{- if and $isSet $.Values.networkPolicy.enabled (not $.Values.networkPolicy.extraEgress) }}
{{- fail (printf "networkPolicy.extraEgress is empty although %s is set: nothing could leave for there. Name the addresses and their ports, for example --set 'networkPolicy.extraEgress[0].to[0].ipBlock.cidr=10.20.0.0/16,networkPolicy.extraEgress[0].ports[0].port=4318'." $variable) }}
{{- end }}
{{- end }}
{{- range $server, $variable := dict "nats" "RELAY_NATS_PREFIX" "redis" "RELAY_REDIS_PREFIX" }}
{{- range include "relay.valuesOf" (dict "root" $ "variable" $variable) | fromJsonArray }}
{{- if and (index $.Values $server).trial.enabled (ne . "relay") }}
{{- fail (printf "%s is %s, which the users of %s.trial may not use: their permissions are for the prefix relay. Remove the setting, or use a server of your own." $variable . $server) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $label := list "name" "instance" "component" "part-of" }}
{{- if hasKey ($.Values.podLabels | default dict) (printf "app.kubernetes.io/%s" $label) }}
{{- fail (printf "podLabels has app.kubernetes.io/%s, which the chart sets: Services and network policies find pods by it. Remove it." $label) }}
{{- end }}
{{- end }}
{{- range $name, $service := .Values.services }}
{{- include "relay.checkBudget" (dict "name" $name "kept" ($service.disruptionBudget | default dict).minAvailable "least" (include "relay.leastPods" (dict "root" $ "name" $name) | int)) }}
{{- end }}
{{- include "relay.checkSettings" . }}
{{- include "relay.checkConnections" . }}
{{- end }}

{{/* A budget must let one pod go, or the drain of a node waits for ever. A service with one pod has none. Kubernetes rounds a share up. */}}
{{- define "relay.checkBudget" -}}
{{- $share := trimSuffix "%" (toString .kept) }}
{{- $pods := ternary (mulf $share .least | mulf 0.01 | ceil) (float64 $share) (hasSuffix "%" (toString .kept)) }}
{{- if and .kept (gt .least 1) (ge (int $pods) .least) }}
{{- fail (printf "services.%s.disruptionBudget.minAvailable is %v, and the service may have only %d pods: no node with one of them could be drained. Lower it, or raise the replicas." .name .kept .least) }}
{{- end }}
{{- end }}

{{/* A pod gets only variables that its program reads, so a misspelt name would have no effect, without a word. */}}
{{- define "relay.checkSettings" -}}
{{- $programs := include "relay.settings" . | fromJson }}
{{- $all := dict }}
{{- range $programs }}
{{- $all = merge $all . }}
{{- end }}
{{- range .Values.extraEnv }}
{{- if hasKey $all .name }}
{{- fail (printf "extraEnv has %s, which is a setting. Put it into settings or services.<name>.env, or into the Secret if it is a secret." .name) }}
{{- end }}
{{- end }}
{{- include "relay.checkNames" (dict "place" "settings" "values" .Values.settings "known" $all "read" "read by no service") }}
{{- range $name, $service := .Values.services }}
{{- include "relay.checkNames" (dict "place" (printf "services.%s.env" $name) "values" $service.env "known" (index $programs $name) "read" (printf "not read by %s" $name)) }}
{{- end }}
{{- end }}

{{- define "relay.checkNames" -}}
{{- $setByChart := "^RELAY_(PUBLIC_URL|HUB_PUBLIC_URL|(REQUESTS|MESSAGES|DASHBOARD|NOTIFIER)_URL|TRUSTED_PROXIES|ALLOWED_USERS_FILE|NATS_(CA|CERT|KEY)_FILE|START_PATIENCE|SHUTDOWN_(PAUSE|LIMIT)|HUB_DRAIN_SPREAD|HOST|PORT|OPS_PORT|WEB_FOLDER|DEV_LOGIN)$" }}
{{- range $variable, $_ := .values }}
{{- $is := get $.known $variable }}
{{- if not $is }}
{{- fail (printf "%s.%s is %s. docs/configuration.md has all settings, and what reads them." $.place $variable $.read) }}
{{- else if $is.secret }}
{{- fail (printf "%s.%s is a secret. Put it into the Secret that secrets.existing names." $.place $variable) }}
{{- else if regexMatch $setByChart $variable }}
{{- fail (printf "%s.%s is set by the chart. Remove it: values.yaml has the value that it follows from, or it is fixed." $.place $variable) }}
{{- end }}
{{- end }}
{{- end }}

{{/* The values of a setting, for all services or for one, as a list. */}}
{{- define "relay.valuesOf" -}}
{{- $found := list }}
{{- $places := list .root.Values.settings }}
{{- range .root.Values.services }}
{{- $places = append $places .env }}
{{- end }}
{{- range $places }}
{{- with get (. | default dict) $.variable }}
{{- $found = append $found (toString .) }}
{{- end }}
{{- end }}
{{- toJson $found }}
{{- end }}

{{/*
Connections to Postgres at the worst moment: every service at its largest, in a rollout, where all pods of the old release may be
ending while those of the new one are ready; the migration (3), and one of the admin's commands or `helm test` (a pool). A pod has a pool and one connection that watches
the server; those of requests and messages have one for the outbox, past any pooler.
*/}}
{{- define "relay.checkConnections" -}}
{{- $most := int .Values.postgres.maxConnections }}
{{- $sum := include "relay.connections" . | fromYaml }}
{{- $pools := add $sum.pools (mul $sum.pods (include "relay.derivedPool" .)) }}
{{- $needed := add $sum.direct (ternary 0 (add $sum.watches $pools) .Values.postgres.external.pooler) }}
{{- if and $most (gt (int $needed) $most) }}
{{- fail (printf "Postgres would get up to %d connections, and postgres.maxConnections is %d. Raise max_connections of the server and then postgres.maxConnections, lower RELAY_DATABASE_POOL where you have set it or the replicas, or put a pooler in front." $needed $most) }}
{{- end }}
{{- end }}

{{/* `pools` are those whose size is set; `pods` have the derived one. */}}
{{- define "relay.connections" -}}
{{- $sum := dict "direct" 3 "watches" 0 "pools" 0 "pods" 0 }}
{{- $programs := list (dict "name" "requests" "pods" 1 "watches" 0 "direct" 0) }}
{{- range $name, $service := include "relay.services" . | fromYaml }}
{{- if has "DATABASE_URL" $service.variables }}
{{- $values := index $.Values.services $name }}
{{- $most := int (ternary $values.autoscaling.maxReplicas $values.replicas $values.autoscaling.enabled) }}
{{- $pods := mul 2 $most }}
{{- $direct := ternary $pods 0 (has "DATABASE_DIRECT_URL" $service.variables) }}
{{- $programs = append $programs (dict "name" $name "pods" $pods "watches" $pods "direct" $direct) }}
{{- end }}
{{- end }}
{{- range $programs }}
{{- $pool := include "relay.setPool" (dict "root" $ "name" .name) }}
{{- $_ := set $sum "direct" (add $sum.direct .direct) }}
{{- $_ := set $sum "watches" (add $sum.watches .watches) }}
{{- if $pool }}
{{- $_ := set $sum "pools" (add $sum.pools (mul .pods (int $pool))) }}
{{- else }}
{{- $_ := set $sum "pods" (add $sum.pods .pods) }}
{{- end }}
{{- end }}
{{- toYaml $sum }}
{{- end }}

{{/* The size of a pool as it was set, or nothing. */}}
{{- define "relay.setPool" -}}
{{- $key := "RELAY_DATABASE_POOL" }}
{{- get (index .root.Values.services .name).env $key | default (get .root.Values.settings $key) }}
{{- end }}

{{/* The size of all others: what the server allows, shared by their pods, between 2 and 10. */}}
{{- define "relay.derivedPool" -}}
{{- $most := int .Values.postgres.maxConnections }}
{{- $sum := include "relay.connections" . | fromYaml }}
{{- $left := sub $most (add $sum.direct $sum.watches $sum.pools) }}
{{- $isFree := or (eq $most 0) .Values.postgres.external.pooler (eq (int $sum.pods) 0) }}
{{- ternary 10 (div $left (max 1 $sum.pods) | max 2 | min 10) $isFree }}
{{- end }}
