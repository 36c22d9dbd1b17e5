import type { IncomingHttpHeaders } from 'node:http';

const wellFormed = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Keeps the caller's trace (W3C), or begins one from the call's id, so that either leads to the other. */
export function followTrace(headers: IncomingHttpHeaders, callId: string): void {
  if (typeof headers.traceparent === 'string' && wellFormed.test(headers.traceparent)) return;
  const digits = callId.replaceAll('-', '');
  headers.traceparent = `00-${digits}-${digits.slice(16)}-00`;
  delete headers.tracestate;
}
