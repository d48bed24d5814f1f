{{/* The names of the services that are enabled, as a YAML list. */}}
{{- define "services" -}}
{{- range list "release-web" "ops-intake" "ip-locate" }}
{{- if (index $.Values .).enabled }}
- {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{/* The name of everything that belongs to a service, so that a namespace has room for several releases: the chart's context and the
     service's name. CronJobs have the longest names, and may have 52 characters. */}}
{{- define "name" -}}
{{- $release := (index . 0).Release.Name -}}
{{- if gt (len $release) 35 }}{{ fail "A release name may have at most 35 characters" }}{{ end -}}
{{- if not (regexMatch "^[a-z][a-z0-9-]*$" $release) }}{{ fail "A release name starts with a letter and has no dots: Services are named after it" }}{{ end -}}
{{ $release }}-{{ index . 1 }}
{{- end }}

{{/* Labels that select the pods of a service: a list of the chart's context and the service's name. */}}
{{- define "selector" -}}
app.kubernetes.io/name: {{ index . 1 }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name | quote }}
app.kubernetes.io/component: service
{{- end }}

{{/* Labels of every resource: the same list. */}}
{{- define "labels" -}}
{{- $context := index . 0 -}}
{{- $service := index $context.Values (index . 1) -}}
app.kubernetes.io/name: {{ index . 1 }}
app.kubernetes.io/instance: {{ $context.Release.Name | quote }}
{{- with $service }}
app.kubernetes.io/version: {{ .image.tag | trunc 63 | trimAll "-._" | quote }}
{{- end }}
app.kubernetes.io/part-of: three-services
app.kubernetes.io/managed-by: {{ $context.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $context.Chart.Name $context.Chart.Version }}
{{- end }}

{{/* The image of a service: the same list. */}}
{{- define "image" -}}
{{- $context := index . 0 -}}
{{- $image := (index $context.Values (index . 1)).image -}}
{{- $registry := required "Set image.registry, such as ghcr.io/your-organization" $context.Values.image.registry -}}
{{- if $image.digest -}}
{{ $registry }}/{{ index . 1 }}@{{ $image.digest }}
{{- else -}}
{{ $registry }}/{{ index . 1 }}:{{ required (printf "Set %s.image.tag or its digest" (index . 1)) $image.tag }}
{{- end }}
{{- end }}

{{/* The host names of a service, as a JSON list, and the first of them, which is its public address: the same list. */}}
{{- define "hosts" -}}
{{- with (index (index . 0).Values (index . 1)).hostnames -}}
{{ toJson . }}
{{- else -}}
{{ list (printf "%s.%s" (index . 1) (required "Set domain: the services are found at SERVICE.domain" (index . 0).Values.domain)) | toJson }}
{{- end }}
{{- end }}
{{- define "host" -}}
{{ include "hosts" . | fromJsonArray | first }}
{{- end }}

{{/* A probe of a service: a list of what the service sets, and of the defaults. */}}
{{- define "probe" -}}
{{ mergeOverwrite (dict) (index . 1) (index . 0 | default dict) | toYaml }}
{{- end }}

{{/* Environment variables: a list of the chart's context, the service's name and more variables. */}}
{{- define "env" -}}
{{- $context := index . 0 -}}
{{- $service := index $context.Values (index . 1) -}}
{{- $secretEnv := $service.secretEnv | default dict -}}
{{- $env := mergeOverwrite (dict) (index . 2) ($service.env | default dict) -}}
{{- range $name, $value := $env }}
{{- if hasKey $secretEnv $name }}{{ printf "%s has %s in env and in secretEnv: set one of them to null" (index $ 1) $name | fail }}{{ end }}
- name: {{ $name }}
  {{- /* Helm reads numbers of a file as float64, and writes them as 1.048576e+06. */}}
  value: {{ ternary (int64 $value) $value (kindIs "float64" $value) | quote }}
{{- end }}
{{- range $name, $from := $secretEnv }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: { name: {{ $from.name | quote }}, key: {{ $from.key | quote }} }
{{- end }}
{{- end }}

{{/* Pods without rights. */}}
{{- define "podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
# A volume that a CronJob of the chart writes to belongs to this group.
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}
{{- define "containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Where the pods of a service run: a list of the chart's context and the service's name. What the service sets counts before what all have. */}}
{{- define "placement" -}}
{{- $values := (index . 0).Values -}}
{{- $service := index $values (index . 1) -}}
{{- with $values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- range list "nodeSelector" "tolerations" "affinity" }}
{{- $name := . }}
{{- with index $service $name | default (index $values $name) }}
{{ $name }}: {{ toJson . }}
{{- end }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- end }}

{{/* Rules of egress: a list of the chart's context and entries of { namespaces, cidrs, ports }. Each needs names resolved. */}}
{{- define "egress" -}}
{{- $context := index . 0 -}}
{{- with index . 1 }}
{{- with $context.Values.networkPolicy.dns }}
{{ include "egressRule" (dict "namespaces" .namespaces "cidrs" .cidrs "ports" (list 53)) }}
{{- end }}
{{- range . }}
{{ include "egressRule" . }}
{{- end }}
{{- else }}
[]
{{- end }}
{{- end }}
{{- define "egressRule" -}}
- to:
    {{- with .namespaces }}
    - namespaceSelector:
        matchExpressions:
          - { key: kubernetes.io/metadata.name, operator: In, values: {{ toJson . }} }
    {{- end }}
    {{- range .cidrs }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  {{- with .ports }}
  ports:
    {{- range . }}
    - { port: {{ . }}, protocol: TCP }
    {{- if eq (int .) 53 }}
    - { port: 53, protocol: UDP }
    {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
