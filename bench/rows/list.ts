import { directSubject, loadSubject } from '../measure/load-subject.ts';
import { httpText } from '../requests/http-text.ts';
import { signAsGateway } from '../requests/sign-as-gateway.ts';
import { writeConversation } from '../requests/write-conversation.ts';
import { ratioRow } from './ratio-row.ts';

/** A list of 100 messages. */
export const list = ratioRow({
  name: 'list',
  goal: 0.5,
  count: 2_000,
  async cast(stage) {
    const { load, user, gatewayKeys, database } = stage;
    const messages = await stage.service('messages');
    const requestId = await writeConversation(database, user.userId, 100);
    const env = { BENCH_REQUEST_ID: requestId };
    const path = `/api/v1/messages/${requestId}`;
    const sign = await signAsGateway('messages', gatewayKeys.messages, {
      kind: 'provider',
      userId: user.userId,
      apiKeyId: crypto.randomUUID(),
    });
    return {
      measured: loadSubject({
        name: 'at messages',
        load,
        processes: [messages],
        makeRequests: () => [httpText('GET', path, { headers: sign('GET', path) })],
      }),
      baseline: directSubject('the bare query', await stage.program('direct-list', env)),
      beside: [
        loadSubject({
          name: 'bare node:http and node-postgres',
          load,
          processes: [await stage.program('bare-list', env)],
          makeRequests: () => [httpText('GET', '/')],
        }),
      ],
    };
  },
});
