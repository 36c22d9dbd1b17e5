export { createTracing, noTracing } from './create-tracing.ts';
export { inSpan, releaseSpan, sampledTraceparent } from './current-span.ts';
export { isTraceparent, type NewSpan, type OpenSpan, type Tracing } from './span.ts';
