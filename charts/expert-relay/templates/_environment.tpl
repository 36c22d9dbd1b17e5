{{/*
The environment of a program: of the variables that it reads (settings.json, made from the code) those that have a value
here, and all secrets by reference. What is not set has the default of docs/configuration.md.
*/}}

{{- define "relay.settings" -}}
{{- .Files.Get "settings.json" }}
{{- end }}

{{/* The services, each with the variables that it reads and the port that it listens on. */}}
{{- define "relay.services" -}}
{{- range $name, $variables := omit (include "relay.settings" . | fromJson) "migrate" }}
{{ $name }}:
  variables: {{ keys $variables | sortAlpha | toJson }}
  {{- with $variables.RELAY_PORT }}
  port: {{ .default }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "relay.environment" -}}
{{- $root := .root }}
{{- $name := .name }}
{{- $variables := index (include "relay.settings" $root | fromJson) $name }}
{{- $own := (get $root.Values.services $name | default dict).env | default dict }}
{{- $values := mergeOverwrite (dict) (include "relay.chartSettings" . | fromYaml) $root.Values.settings $own }}
{{- range $variable, $is := $variables }}
{{- $clientId := replace "_CLIENT_SECRET" "_CLIENT_ID" $variable }}
{{- if and (ne $clientId $variable) (not (hasKey $values $clientId)) }}
{{- /* The id and the secret of an OAuth client are set together. */}}
{{- else if $is.secret }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef:
      {{- $key := include "relay.secretKey" (dict "variable" $variable "name" $name) }}
      {{- include "relay.secretOf" (dict "root" $root "key" $key) | nindent 6 }}
      {{- /* A pod waits for a Secret with keys that are not optional, instead of starting without them. */}}
      {{- $pooled := and (eq $variable "DATABASE_DIRECT_URL") $root.Values.postgres.external.pooler }}
      {{- $always := list "DATABASE_URL" "RELAY_STREAM_TOKEN_PUBLIC_KEYS" }}
      {{- if not (or $is.required $pooled (ne $clientId $variable) (has $variable $always) (hasKey $root.Values.secrets.from $key)) }}
      optional: true
      {{- end }}
{{- else if hasKey $values $variable }}
- name: {{ $variable }}
  value: {{ include "relay.text" (index $values $variable) | quote }}
{{- end }}
{{- end }}
{{- if $root.Values.tls.caSecret }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/expert-relay/ca/ca.crt
{{- end }}
{{- with $root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Where a secret is: in `secrets.existing` under its own name, unless `secrets.from` says otherwise. */}}
{{- define "relay.secretOf" -}}
{{- $elsewhere := get .root.Values.secrets.from .key | default dict -}}
name: {{ $elsewhere.name | default .root.Values.secrets.existing }}
key: {{ $elsewhere.key | default .key }}
{{- end }}

{{/* Each service signs in to NATS and Redis as another user. */}}
{{- define "relay.secretKey" -}}
{{- if has .variable (list "NATS_URL" "REDIS_URL" "RELAY_NATS_NKEY_SEED") }}
{{- printf "%s_%s" .variable (.name | upper | replace "-" "_") }}
{{- else }}
{{- .variable }}
{{- end }}
{{- end }}

{{/* The admin's commands, in pods of requests and of `helm test`, make links to the public address. */}}
{{- define "relay.adminEnvironment" -}}
- name: RELAY_PUBLIC_URL
  value: {{ .Values.publicUrl | quote }}
{{- end }}

{{/* Settings that follow from other values. */}}
{{- define "relay.chartSettings" -}}
{{- $ := .root }}
RELAY_PUBLIC_URL: {{ $.Values.publicUrl | quote }}
RELAY_HUB_PUBLIC_URL: {{ include "relay.hubUrl" $ | quote }}
RELAY_DATABASE_POOL: {{ include "relay.derivedPool" $ }}
RELAY_START_PATIENCE: {{ printf "%ds" (int $.Values.startPatienceSeconds) }}
RELAY_SHUTDOWN_PAUSE: {{ printf "%ds" (int $.Values.shutdown.pauseSeconds) }}
RELAY_SHUTDOWN_LIMIT: {{ printf "%ss" (include "relay.shutdownLimit" .) }}
RELAY_HUB_DRAIN_SPREAD: {{ printf "%ds" (int $.Values.services.hub.drainSpreadSeconds) }}
{{- with $.Values.trustedProxies }}
RELAY_TRUSTED_PROXIES: {{ join "," . | quote }}
{{- end }}
{{- range $name, $service := include "relay.services" $ | fromYaml }}
{{- with $service.port }}
RELAY_{{ upper $name }}_URL: {{ printf "http://%s-%s:%d" (include "relay.prefix" $) $name (int .) }}
{{- end }}
{{- end }}
{{- if $.Values.allowedUsers }}
RELAY_ALLOWED_USERS_FILE: /etc/expert-relay/allowed-users/list
{{- end }}
{{- if $.Values.nats.clientCertificate }}
RELAY_NATS_CERT_FILE: /etc/expert-relay/nats/tls.crt
RELAY_NATS_KEY_FILE: /etc/expert-relay/nats/tls.key
{{- end }}
{{- end }}

{{/* In seconds: a stopping hub also ends its streams one after another. */}}
{{- define "relay.shutdownLimit" -}}
{{ add .root.Values.shutdown.limitSeconds (ternary .root.Values.services.hub.drainSpreadSeconds 0 (eq .name "hub")) }}
{{- end }}

{{/* Helm reads numbers as floating-point ones: 134217728 must not become 1.34217728e+08. */}}
{{- define "relay.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) }}{{ printf "%.0f" . }}{{ else }}{{ . }}{{ end }}
{{- end }}
