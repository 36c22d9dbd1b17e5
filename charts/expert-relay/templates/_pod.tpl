{{/* What all pods have in common. */}}

{{- define "relay.podSpec" -}}
{{- $ours := include "relay.podSpecOfChart" . | fromYaml }}
{{- $theirs := (get .root.Values.services (.name | default "") | default dict).podSpec | default dict }}
{{- range $member, $value := $theirs }}
{{- $_ := set $ours $member $value }}
{{- end }}
{{- toYaml $ours }}
{{- end }}

{{- define "relay.podSpecOfChart" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with include "relay.serviceAccount" .root }}
serviceAccountName: {{ . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- with .root.Values.runAsUser }}
  runAsUser: {{ $.user | default . | int }}
  runAsGroup: {{ $.user | default . | int }}
  {{- if $.user }}
  fsGroup: {{ $.user }}
  {{- end }}
  {{- end }}
  {{- if .user }}
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
{{- if .spread }}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector: { matchLabels: {{ include "relay.selector" $ | fromYaml | toJson }} }
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- end }}

{{- define "relay.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "relay.prefix" .) "" .Values.serviceAccount.create) }}
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
{{- if and .root.Values.allowedUsers (eq .component "dashboard") }}
- name: allowed-users
  configMap: { name: {{ include "relay.prefix" .root }}-allowed-users }
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
{{- if and .root.Values.allowedUsers (eq .component "dashboard") }}
- { name: allowed-users, mountPath: /etc/expert-relay/allowed-users, readOnly: true }
{{- end }}
{{- with .root.Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "relay.natsCertificate" -}}
{{- $variables := index (include "relay.settings" .root | fromJson) .name | default dict }}
{{- if and .root.Values.nats.clientCertificate (hasKey $variables "NATS_URL") }}yes{{ end }}
{{- end }}
