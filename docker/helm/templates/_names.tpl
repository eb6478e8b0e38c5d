{{- define "backscope.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{- define "backscope.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- /* The labels by which pods of a role are selected: (dict "top" $ "role" "worker"). */}}
{{- define "backscope.role" -}}
app.kubernetes.io/name: {{ .top.Chart.Name }}
app.kubernetes.io/instance: {{ .top.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "backscope.secret" -}}
{{ .Values.redis.existingSecret | default (printf "%s-redis" (include "backscope.name" .)) }}
{{- end }}

{{- /* What the pod security standard "restricted" asks of a pod, and of its containers. */}}
{{- define "backscope.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .user }}
runAsGroup: {{ .user }}
fsGroup: {{ .user }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "backscope.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* The variables of gateways and workers. */}}
{{- define "backscope.environment" -}}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
- name: BACKSCOPE_METRICS_PORT
  value: "9090"
- name: BACKSCOPE_METRICS_HOST
  value: 0.0.0.0
{{- if or .Values.redis.enabled .Values.redis.existingSecret }}
- name: BACKSCOPE_FLEET_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ include "backscope.secret" . }}
      key: password
- name: BACKSCOPE_FLEET_USERNAME
  valueFrom:
    secretKeyRef:
      name: {{ include "backscope.secret" . }}
      key: username
      optional: true
{{- end }}
- name: BACKSCOPE_FLEET
{{- if .Values.redis.enabled }}
{{- /* The address that Kubernetes puts into the environment, since workers may not look up names. */}}
{{- $service := printf "%s-redis" (include "backscope.name" .) | upper | replace "-" "_" }}
  value: redis://$({{ $service }}_SERVICE_HOST):6379/0
{{- else }}
  value: {{ required "redis.address is needed where redis.enabled is false" .Values.redis.address | quote }}
{{- end }}
{{- end }}

{{- define "backscope.probes" -}}
startupProbe:
  httpGet: { path: /live, port: metrics }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /live, port: metrics }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /ready, port: metrics }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}

{{- /* The folder for temporary files, in memory; everything else can only be read. */}}
{{- define "backscope.temporary" -}}
- name: tmp
  emptyDir:
    medium: Memory
    sizeLimit: 64Mi
{{- end }}

{{- /* The way to Redis, the only one that a worker has. */}}
{{- define "backscope.toRedis" }}
{{- if .Values.redis.enabled }}
- to:
    - podSelector:
        matchLabels: {{- include "backscope.role" (dict "top" . "role" "redis") | nindent 10 }}
  ports: [{ protocol: TCP, port: 6379 }]
{{- else }}
- to: {{- required "networkPolicy.redisTo is needed where redis.enabled is false" .Values.networkPolicy.redisTo | toYaml | nindent 4 }}
  ports: [{ protocol: TCP, port: {{ .Values.networkPolicy.redisPort }} }]
{{- end }}
{{- if .Values.networkPolicy.dns }}
- to:
    - namespaceSelector:
        matchLabels: { kubernetes.io/metadata.name: kube-system }
  ports: [{ protocol: UDP, port: 53 }, { protocol: TCP, port: 53 }]
{{- end }}
{{- end }}
{{- /* /metrics, whose probes come from the node itself, which policies let through. */}}
{{- define "backscope.fromMetrics" }}
- ports: [{ protocol: TCP, port: 9090 }]
  {{- with .Values.networkPolicy.metricsFrom }}
  from: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
