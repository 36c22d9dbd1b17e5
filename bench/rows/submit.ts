import type { Environment } from '../environment/environment.ts';
import type { BenchProcess } from '../environment/processes.ts';
import { directSubject, loadSubject } from '../measure/subject.ts';
import { httpText, signAsGateway } from '../requests/http-request.ts';
import { submission } from '../requests/samples.ts';
import { ratioRow } from './row.ts';

/** A submit at the requests service. */
export const submit = ratioRow({
  name: 'submit',
  goal: 0.6,
  count: 4_000,
  async open(environment) {
    const { load, user, gatewayKeys } = environment;
    const requests = await requestsService(environment);
    const baselines = await startBaselines(environment);
    const apiKeyId = await keyIdOf(environment);
    const sign = await signAsGateway('requests', gatewayKeys.requests, {
      kind: 'consumer',
      userId: user.userId,
      apiKeyId,
      secret: { createdAt: 0 },
    });
    return {
      measured: loadSubject({
        name: 'at requests',
        load,
        processes: [requests],
        // Each has its own call id: a repeated call would get the stored answer.
        makeRequests: (count) =>
          Array.from({ length: count }, () =>
            httpText('POST', '/api/v1/help', {
              headers: sign('POST', '/api/v1/help', submission),
              body: submission,
            }),
          ),
      }),
      baseline: directSubject('node-postgres, no HTTP', baselines.direct),
      others: [
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

/**
 * Starts messages first, so that it is the outbox leader. Then publishing costs the requests service nothing, and the
 * baseline's events are published as well.
 */
async function requestsService(environment: Environment): Promise<BenchProcess> {
  await environment.service('messages');
  await environment.database.waitForOutboxLeader();
  return await environment.service('requests');
}

async function startBaselines(environment: Environment) {
  // Imported here because the package is not built yet when this file is loaded.
  const { newRequestEvent } = await import('@expert-relay/contracts');
  const env = {
    BENCH_USER_ID: environment.user.userId,
    BENCH_KEY_ID: await keyIdOf(environment),
    BENCH_PAYLOAD: Buffer.from(newRequestEvent({ question: submission.question }).payload).toString(
      'base64url',
    ),
    BENCH_SUBMISSION: JSON.stringify(submission),
  };
  return {
    direct: await environment.program('direct-submit', env),
    bare: await environment.program('bare-submit', env),
  };
}

async function keyIdOf({ database, user }: Environment): Promise<string> {
  const text = `SELECT id FROM api_keys WHERE user_id = $1 AND kind = 'consumer'`;
  const [key] = await database.query<{ id: string }>(text, [user.userId]);
  return key?.id ?? '';
}
