{{- define "chaintape.labels" -}}
app.kubernetes.io/name: chaintape
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* Arguments: context, component. */ -}}
{{- define "chaintape.selector" -}}
app.kubernetes.io/name: chaintape
app.kubernetes.io/instance: {{ .context.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- /* The pods of a role. Arguments: context, component, role, resources, data (true: the claim `data`). */ -}}
{{- define "chaintape.pod" -}}
metadata:
  labels:
    {{- include "chaintape.selector" . | nindent 4 }}
  annotations:
    # Pods restart when the configuration changes.
    checksum/config: {{ .context.Values.config | toJson | sha256sum }}
    prometheus.io/scrape: 'true'
    prometheus.io/port: '9464'
spec:
  terminationGracePeriodSeconds: 30
  automountServiceAccountToken: false
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  {{- with .context.Values.imagePullSecrets }}
  imagePullSecrets: {{ toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: chaintape
      image: "{{ .context.Values.image.repository }}:{{ .context.Values.image.tag | default .context.Chart.AppVersion }}"
      imagePullPolicy: {{ .context.Values.image.pullPolicy }}
      env:
        - { name: CHAINTAPE_ROLE, value: {{ .role }} }
        - { name: CHAINTAPE_SERVER_METRICS_PORT, value: '9464' }
        - { name: CHAINTAPE_SERVER_METRICS_HOST, value: 0.0.0.0 }
        - { name: CHAINTAPE_SERVER_ADMIN_PORT, value: '8081' }
        - name: CHAINTAPE_DATABASE_URL
          valueFrom:
            secretKeyRef:
              name: {{ .context.Values.database.existingSecret | default .context.Release.Name }}
              key: {{ .context.Values.database.key }}
        {{- with .context.Values.nats }}
        {{- if .urls }}
        - { name: CHAINTAPE_NATS_URLS, value: {{ .urls | toJson | quote }} }
        {{- end }}
        {{- if .user }}
        - { name: CHAINTAPE_NATS_USER, value: {{ .user | quote }} }
        - name: CHAINTAPE_NATS_PASSWORD
          valueFrom:
            secretKeyRef:
              name: {{ required "nats.existingSecret holds the password of nats.user" .existingSecret }}
              key: {{ .key }}
        {{- end }}
        {{- end }}
        {{- with .context.Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - { name: http, containerPort: 8080 }
        - { name: metrics, containerPort: 9464 }
      startupProbe:
        httpGet: { path: /health/live, port: http }
        periodSeconds: 5
        failureThreshold: {{ div .context.Values.startupSecondsMax 5 }}
      livenessProbe:
        httpGet: { path: /health/live, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # No client is sent to an indexer, and one that stands by is never ready.
      readinessProbe:
        httpGet: { path: {{ ternary "/health/live" "/health/ready" (eq .role "indexer") }}, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
      resources: {{ toYaml .resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: config, mountPath: /etc/chaintape, readOnly: true }
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
  volumes:
    - name: config
      secret:
        secretName: {{ .context.Release.Name }}
        items: [{ key: chaintape.json, path: chaintape.json }]
    - { name: tmp, emptyDir: {} }
    {{- if not .data }}
    - { name: data, emptyDir: {} }
    {{- end }}
  {{- with .context.Values.nodeSelector }}
  nodeSelector: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with .context.Values.tolerations }}
  tolerations: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with .context.Values.affinity }}
  affinity: {{ toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
