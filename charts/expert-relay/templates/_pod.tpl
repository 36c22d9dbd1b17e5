{{/* What all pods have in common. */}}

{{- define "relay.podSpec" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user | default 65532 }}
  runAsGroup: {{ .user | default 65532 }}
  {{- if .user }}
  fsGroup: {{ .user }}
  # Otherwise each start would open all files to the group, and Postgres refuses a data directory like that.
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* What all containers have in common. The end of the log of a failed one is shown by `kubectl describe pod`. */}}
{{- define "relay.container" -}}
terminationMessagePolicy: FallbackToLogsOnError
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Certificates of the servers, and what the user adds. A program that does not use NATS does not get its certificate. */}}
{{- define "relay.volumes" -}}
{{- with .root.Values.tls.caSecret }}
- name: ca
  secret: { secretName: {{ . }}, defaultMode: 0444, items: [{ key: ca.crt, path: ca.crt }] }
{{- end }}
{{- if include "relay.natsCertificate" . }}
- name: nats-certificate
  secret: { secretName: {{ .root.Values.nats.clientCertificate }}, defaultMode: 0444 }
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "relay.volumeMounts" -}}
{{- if .root.Values.tls.caSecret }}
- { name: ca, mountPath: /etc/expert-relay/ca, readOnly: true }
{{- end }}
{{- if include "relay.natsCertificate" . }}
- { name: nats-certificate, mountPath: /etc/expert-relay/nats, readOnly: true }
{{- end }}
{{- with .root.Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "relay.natsCertificate" -}}
{{- $variables := index (include "relay.settings" .root | fromJson) .name | default dict }}
{{- if and .root.Values.nats.clientCertificate (hasKey $variables "NATS_URL") }}yes{{ end }}
{{- end }}
