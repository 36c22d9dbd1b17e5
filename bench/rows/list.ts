import { directSubject, loadSubject } from '../measure/subject.ts';
import { httpText, signAsGateway } from '../requests/http-request.ts';
import { writeConversation } from '../requests/seed.ts';
import { ratioRow } from './row.ts';

/** A list of 100 messages. */
export const list = ratioRow({
  name: 'list',
  goal: 0.33,
  count: 2_000,
  async open(environment) {
    const { load, user, gatewayKeys, database } = environment;
    const messages = await environment.service('messages');
    const requestId = await writeConversation(database, user.userId, 100);
    const env = { BENCH_REQUEST_ID: requestId };
    const path = `/api/v1/messages/${requestId}`;
    const sign = await signAsGateway('messages', gatewayKeys.messages, {
      kind: 'provider',
      userId: user.userId,
      apiKeyId: crypto.randomUUID(),
      secret: { createdAt: 0 },
    });
    return {
      measured: loadSubject({
        name: 'at messages',
        load,
        processes: [messages],
        // A service accepts each principal once.
        makeRequests: (count) =>
          Array.from({ length: count }, () => httpText('GET', path, { headers: sign('GET', path) })),
      }),
      baseline: directSubject('the bare query', await environment.program('direct-list', env)),
      others: [
        loadSubject({
          name: 'bare node:http and node-postgres',
          load,
          processes: [await environment.program('bare-list', env)],
          makeRequests: () => [httpText('GET', '/')],
        }),
      ],
    };
  },
});
