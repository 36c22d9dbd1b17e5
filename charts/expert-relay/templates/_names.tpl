{{/* Names and labels. A component is a service, a trial server, or a program that ends. */}}

{{/*
Begins the name of every object. A long release name is cut, so that "-migrate-1000-12345678" and the labels that Kubernetes
makes from names fit behind it. make-secrets.mjs does the same for the names of the trial servers.
*/}}
{{- define "relay.prefix" -}}
{{- $name := .Values.fullnameOverride | default .Release.Name }}
{{- if gt (len $name) 40 }}
{{- printf "%s-%s" (trunc 31 $name | trimSuffix "-") (sha256sum $name | trunc 8) }}
{{- else }}
{{- $name }}
{{- end }}
{{- end }}

{{- define "relay.labels" -}}
{{ include "relay.selector" . }}
app.kubernetes.io/version: {{ include "relay.label" (include "relay.version" .) | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/part-of: expert-relay
helm.sh/chart: {{ include "relay.label" (printf "%s-%s" .root.Chart.Name .root.Chart.Version) }}
{{- end }}

{{/* A text as the value of a label. */}}
{{- define "relay.label" -}}
{{ regexReplaceAll "[^A-Za-z0-9._-]" . "_" | trunc 63 | trimAll "._-" }}
{{- end }}

{{- define "relay.selector" -}}
app.kubernetes.io/name: expert-relay
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* Without the chart's version: a new chart with the same images must not replace pods. */}}
{{- define "relay.podLabels" -}}
{{ include "relay.selector" . }}
app.kubernetes.io/part-of: expert-relay
{{- with .root.Values.podLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The least number of pods of a service: what is written in its Deployment, or what its autoscaler keeps. */}}
{{- define "relay.leastPods" -}}
{{- $service := index .root.Values.services .name }}
{{- ternary $service.autoscaling.minReplicas $service.replicas $service.autoscaling.enabled | int }}
{{- end }}

{{- define "relay.tag" -}}
{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The tag, or the digest of the image where one is set. Of what has no image of its own, the tag. */}}
{{- define "relay.version" -}}
{{- $image := (get .root.Values.services (.image | default "") | default dict).image | default dict }}
{{- $image.digest | default (include "relay.tag" .root) }}
{{- end }}

{{- define "relay.image" -}}
{{- $version := include "relay.version" . }}
{{- $separator := ternary "@" ":" (hasPrefix "sha256:" $version) -}}
image: {{ printf "%s/%s%s%s" .root.Values.image.registry .image $separator $version | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{- end }}

{{- define "relay.hubUrl" -}}
{{ .Values.hub.publicUrl | default (printf "%s/hub" .Values.publicUrl) }}
{{- end }}
