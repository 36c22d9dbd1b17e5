import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/** A span as OTLP's JSON has it, with the service that sent it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: readonly Attribute[];
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<ReceivedSpan, 'service'>[] }[];
  }[];
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything that it has received, headers included. */
  readonly text: string;
  close(): Promise<void>;
}

/** Receives spans as a collector does: OTLP over HTTP in JSON. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  let text = '';
  const server = createServer(async (request, response) => {
    // An idle connection would count as a connection that the caller has not closed.
    response.shouldKeepAlive = false;
    const body = await readText(request);
    text += JSON.stringify(request.headers) + body;
    if (request.url !== '/v1/traces') return void response.writeHead(404).end();
    for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ service, ...span }))));
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    get text() {
      return text;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The spans of a trace as a tree, sorted by name: `service: name`, and each child indented by two spaces. */
export function treeOf(spans: readonly ReceivedSpan[], parent?: string): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const children = spans.filter(({ parentSpanId = '' }) =>
    parent === undefined ? !ids.has(parentSpanId) : parentSpanId === parent,
  );
  return children
    .map((span) => [labelOf(span), ...treeOf(spans, span.spanId).map((line) => `  ${line}`)])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .flat();
}

/** Either of two services may publish an event. */
const labelOf = ({ service, name }: ReceivedSpan): string =>
  name.startsWith('publish ') ? `outbox: ${name}` : `${service}: ${name}`;
