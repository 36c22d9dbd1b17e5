import type { Environment } from '../environment/environment.ts';
import { loadSubject } from '../measure/subject.ts';
import { httpText } from '../requests/http-request.ts';
import { submission } from '../requests/samples.ts';
import { type Comparison, ratioRow } from './row.ts';

/** The gateway with all its middleware and a key in the header, in front of an upstream that does nothing. */
export const gateway = ratioRow({
  name: 'gateway',
  goal: 0.36,
  count: 8_000,
  open: (environment) => {
    const headers = { 'x-api-key': environment.user.consumerKey };
    return compareWithProxy(
      environment,
      'the gateway',
      httpText('GET', '/api/v1/requests/by-ref/HS-7K2M9QXA', { headers }),
    );
  },
});

/** The same with a submit, whose key is in the body. */
export const gatewaySubmit = ratioRow({
  name: 'gateway-submit',
  goal: 0.36,
  count: 6_000,
  open: (environment) => {
    const body = { apiKey: environment.user.consumerKey, ...submission };
    return compareWithProxy(environment, 'the gateway, a submit', httpText('POST', '/api/v1/help', { body }));
  },
});

async function compareWithProxy(
  environment: Environment,
  name: string,
  request: string,
): Promise<Comparison> {
  const { load } = environment;
  const upstream = await environment.program('upstream');
  const proxy = (duties: boolean) =>
    environment.program(
      'bare-proxy',
      { BENCH_UPSTREAM_PORT: String(upstream.port), BENCH_DUTIES: String(duties) },
      duties ? 'proxy-with-duties' : 'bare-proxy',
    );
  const alone = await environment.service('gateway', {
    as: 'gateway-alone',
    env: { RELAY_REQUESTS_URL: `http://127.0.0.1:${upstream.port}` },
  });
  const makeRequests = () => [request];
  return {
    measured: loadSubject({ name, load, makeRequests, processes: [alone] }),
    baseline: loadSubject({ name: 'a bare Node proxy', load, makeRequests, processes: [await proxy(false)] }),
    others: [
      loadSubject({
        name: 'a bare Node proxy that has the duties of a gateway',
        load,
        makeRequests,
        processes: [await proxy(true)],
      }),
    ],
  };
}
