import type { Part } from '../part/index.ts';

/** What is recorded of a span. Attributes contain no content, no key, and no id of a user or a request. */
export interface NewSpan {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  /** The W3C `traceparent` of the span that it belongs to. Without a valid one it begins a trace. */
  readonly parent?: string | undefined;
  readonly attributes?: SpanAttributes;
  /** Whether neither it nor what belongs to it is sampled before `release` is called. */
  readonly isHeld?: boolean | undefined;
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A span that was started. A span that is not ended is not sent. */
export interface OpenSpan {
  /** The W3C `traceparent` with which other services continue the trace. */
  readonly traceparent: string;
  /** Whether it is recorded. Spans of a trace that was not sampled only pass that decision on. */
  readonly isSampled: boolean;
  /** Lets a span that was held be sampled, if its trace is. */
  release(): void;
  end(result?: { name?: string; attributes?: SpanAttributes; hasFailed?: boolean }): void;
}

/** Records spans of one service, if OTEL_EXPORTER_OTLP_ENDPOINT is set. */
export interface Tracing extends Part {
  readonly isOn: boolean;
  /** Whether callers decide if their traces are sampled. Otherwise a caller could choose an id that always is. */
  readonly followsCallers: boolean;
  /** Undefined while tracing is off. */
  startSpan(span: NewSpan): OpenSpan | undefined;
}

const pattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Whether a text is a W3C `traceparent`. */
export const isTraceparent = (text: unknown): text is string =>
  typeof text === 'string' && pattern.test(text);
