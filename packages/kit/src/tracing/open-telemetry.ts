import { setTimeout as pause } from 'node:timers/promises';
import {
  type Context,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from '../config/index.ts';
import type { Log } from '../log/index.ts';
import { isTraceparent, type NewSpan, type OpenSpan } from './span.ts';

const exportTimeoutMs = 5_000;
/** A collector that is away must not delay the end of a process. */
const stopTimeoutMs = 2_000;
const succeeded = 0;

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** The only code that uses OpenTelemetry's SDK. It sets none of its globals, since several services may share a process in tests. */
export function createRecorder(
  service: string,
  options: TracingSettings & { endpoint: string; log: Log },
): { startSpan(span: NewSpan): OpenSpan; stop(): Promise<void> } {
  const { endpoint, headers, resource, log } = options;
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: readNamed(headers),
    timeoutMillis: exportTimeoutMs,
    // Batches are seconds apart.
    keepAlive: false,
  });
  const provider = new TracerProvider({
    sampler: samplerOf(options),
    resource: resourceFromAttributes({
      'service.namespace': 'expert-relay',
      ...readNamed(resource),
      'service.name': service,
    }),
    spanProcessors: [new BatchSpanProcessor({ exporter: logFailures(exporter, log) })],
  });
  const tracer = provider.getTracer('expert-relay');

  return {
    startSpan({ name, kind, parent, attributes = {}, isHeld = false }) {
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, contextOf(parent));
      const { traceId, spanId } = span.spanContext();
      let isSampled = !isHeld && span.isRecording();
      return {
        get traceparent() {
          return `00-${traceId}-${spanId}-0${isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE}`;
        },
        get isSampled() {
          return isSampled;
        },
        release() {
          isSampled = span.isRecording();
        },
        end(result = {}) {
          if (!isSampled) return;
          if (result.name !== undefined) span.updateName(result.name);
          if (result.attributes) span.setAttributes(result.attributes);
          if (result.hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    async stop() {
      const ended = provider.shutdown().catch(() => {});
      await Promise.race([ended, pause(stopTimeoutMs, undefined, { ref: false })]);
    },
  };
}

function contextOf(parent: string | undefined): Context {
  if (!isTraceparent(parent)) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = '00'] = parent.split('-');
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const context: SpanContext = { traceId, spanId, traceFlags, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, context);
}

/** `name=value`, where the value is percent-encoded. */
const readNamed = (pairs: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))];
    }),
  );

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const root = rootSampler(sampler.replace('parentbased_', ''), Number(ratio));
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'always_on') return new AlwaysOnSampler();
  return name === 'always_off' ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
}

/** Logs that the collector accepts nothing, once until it accepts spans again. */
function logFailures(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export(spans, onResult) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== succeeded;
        if (hasFailed && !isFailing)
          log.warn({ reason: result.error?.message }, 'the collector accepts no spans: they are dropped');
        isFailing = hasFailed;
        onResult(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
