import { directSubject, loadSubject } from '../measure/load-subject.ts';
import { httpText } from '../requests/http-text.ts';
import { signAsGateway } from '../requests/sign-as-gateway.ts';
import { submission } from '../requests/submission.ts';
import type { Controlled } from '../stage/controlled.ts';
import type { Stage } from '../stage/stage.ts';
import { ratioRow } from './ratio-row.ts';

/** A submit at the service that keeps it. */
export const submit = ratioRow({
  name: 'submit',
  goal: 0.6,
  count: 4_000,
  async cast(stage) {
    const { load, user, gatewayKeys } = stage;
    const requests = await requestsService(stage);
    const baselines = await startBaselines(stage);
    const apiKeyId = await keyIdOf(stage);
    const sign = await signAsGateway('requests', gatewayKeys.requests, {
      kind: 'consumer',
      userId: user.userId,
      apiKeyId,
    });
    return {
      measured: loadSubject({
        name: 'at requests',
        load,
        processes: [requests],
        // Each is another call: the same one again would be answered as a repetition.
        makeRequests: (count) =>
          Array.from({ length: count }, () =>
            httpText('POST', '/api/v1/help', { headers: sign('POST', '/api/v1/help'), body: submission }),
          ),
      }),
      baseline: directSubject('node-postgres, no HTTP', baselines.direct),
      beside: [
        loadSubject({
          name: 'bare node:http and node-postgres',
          load,
          processes: [baselines.bare],
          makeRequests: () => [httpText('POST', '/', { body: submission })],
        }),
      ],
    };
  },
});

/** A submit from the edge to the row and back. */
export const submitThroughGateway = ratioRow({
  name: 'submit-through-gateway',
  goal: 0.25,
  count: 3_000,
  async cast(stage) {
    const { load, user } = stage;
    const requests = await requestsService(stage);
    const gateway = await stage.service('gateway');
    const { direct } = await startBaselines(stage);
    const body = { apiKey: user.consumerKey, ...submission };
    return {
      measured: loadSubject({
        name: 'through the gateway',
        load,
        processes: [gateway, requests],
        makeRequests: () => [httpText('POST', '/api/v1/help', { body })],
      }),
      baseline: directSubject('node-postgres, no HTTP', direct),
    };
  },
});

/**
 * Messages starts first, so that it leads the outbox: what telling NATS costs is not part of a submit, and
 * the baseline's events are told as well.
 */
async function requestsService(stage: Stage): Promise<Controlled> {
  await stage.service('messages');
  await stage.database.led();
  return await stage.service('requests');
}

async function startBaselines(stage: Stage) {
  // Not built yet when this file is loaded.
  const { newRequestPayload } = await import('@expert-relay/contracts');
  const env = {
    BENCH_USER_ID: stage.user.userId,
    BENCH_KEY_ID: await keyIdOf(stage),
    BENCH_PAYLOAD: Buffer.from(newRequestPayload({ question: submission.question })).toString('base64url'),
    BENCH_SUBMISSION: JSON.stringify(submission),
  };
  return {
    direct: await stage.program('direct-submit', env),
    bare: await stage.program('bare-submit', env),
  };
}

async function keyIdOf({ database, user }: Stage): Promise<string> {
  const text = `SELECT id FROM api_keys WHERE user_id = $1 AND kind = 'consumer'`;
  const [key] = await database.query<{ id: string }>(text, [user.userId]);
  return key?.id ?? '';
}
