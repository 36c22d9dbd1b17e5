import { loadSubject } from '../measure/load-subject.ts';
import { httpText } from '../requests/http-text.ts';
import { submission } from '../requests/submission.ts';
import type { Stage } from '../stage/stage.ts';
import { type Cast, ratioRow } from './ratio-row.ts';

/** The edge with all its middleware, a key in the header, over an upstream that does nothing. */
export const gateway = ratioRow({
  name: 'gateway',
  goal: 0.6,
  count: 8_000,
  cast: (stage) => {
    const headers = { 'x-api-key': stage.user.consumerKey };
    return castOf(stage, 'the gateway', httpText('GET', '/api/v1/requests/by-ref/HS-7K2M9QXA', { headers }));
  },
});

/** The same with a submit, whose key the gateway must read out of the body. */
export const gatewaySubmit = ratioRow({
  name: 'gateway-submit',
  goal: 0.6,
  count: 6_000,
  cast: (stage) => {
    const body = { apiKey: stage.user.consumerKey, ...submission };
    return castOf(stage, 'the gateway, a submit', httpText('POST', '/api/v1/help', { body }));
  },
});

async function castOf(stage: Stage, name: string, request: string): Promise<Cast> {
  const { load } = stage;
  const upstream = await stage.program('upstream');
  const proxy = await stage.program('bare-proxy', { BENCH_UPSTREAM_PORT: String(upstream.port) });
  const edge = await stage.service('gateway', {
    as: 'gateway-alone',
    env: { RELAY_REQUESTS_URL: `http://127.0.0.1:${upstream.port}` },
  });
  const makeRequests = () => [request];
  return {
    measured: loadSubject({ name, load, makeRequests, processes: [edge] }),
    baseline: loadSubject({ name: 'a bare Node proxy', load, makeRequests, processes: [proxy] }),
  };
}
