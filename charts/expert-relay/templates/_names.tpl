{{/* Names and labels. A component is a service, a trial server, or a program that ends. */}}

{{- define "relay.labels" -}}
{{ include "relay.selector" . }}
app.kubernetes.io/version: {{ include "relay.tag" .root | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/part-of: expert-relay
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
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

{{- define "relay.tag" -}}
{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "relay.image" -}}
image: {{ printf "%s/%s:%s" .root.Values.image.registry .image (include "relay.tag" .root) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{- end }}

{{- define "relay.hubUrl" -}}
{{ .Values.hub.publicUrl | default (printf "%s/hub" .Values.publicUrl) }}
{{- end }}
