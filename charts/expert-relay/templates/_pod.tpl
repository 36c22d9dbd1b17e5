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

{{- define "relay.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Certificates of the servers, and what the user adds. */}}
{{- define "relay.volumes" -}}
{{- with .Values.tls.caSecret }}
- name: ca
  secret: { secretName: {{ . }}, defaultMode: 0444, items: [{ key: ca.crt, path: ca.crt }] }
{{- end }}
{{- with .Values.nats.clientCertificate }}
- name: nats-certificate
  secret: { secretName: {{ . }}, defaultMode: 0444 }
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "relay.volumeMounts" -}}
{{- if .Values.tls.caSecret }}
- { name: ca, mountPath: /etc/expert-relay/ca, readOnly: true }
{{- end }}
{{- if .Values.nats.clientCertificate }}
- { name: nats-certificate, mountPath: /etc/expert-relay/nats, readOnly: true }
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}
