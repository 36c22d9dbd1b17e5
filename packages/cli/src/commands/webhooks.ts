import { setTimeout as pause } from 'node:timers/promises';
import { defineCommand } from '../arguments/command.ts';
import { nearest } from '../arguments/nearest.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { shortTime } from '../messages/conversation-view.ts';
import { requireRelay } from '../relay/require-relay.ts';
import { callWebhooks, type Webhook, type WebhookCalls, type WebhookDelivery } from '../relay/webhooks.ts';

/** The number of words after each action. */
const actions = { list: 0, add: 1, test: 1, remove: 1 } as const;
type Action = keyof typeof actions;

const isAction = (word: string): word is Action => Object.hasOwn(actions, word);

import { profileOption } from '../relay/with-profile.ts';

export const webhooks = defineCommand({
  name: 'webhooks',
  summary: 'programs that are called when something happens: list, add, test, remove',
  usage: ['', 'add https://agent.example.com/hook [--event TYPE]...', 'test ID', 'remove ID'],
  about:
    "A webhook calls an address when something happens: with an agent's key, in the requests of this key; with an expert's key, in all requests. Calls are signed with a secret that `add` shows once, after Standard Webhooks 1.0. `test` waits for the result. Instead of an ID, its first characters are enough. An expert's key also manages the webhooks of its agents. The expert's dashboard and the API also show deliveries, send them again, make new secrets, and switch a webhook off.",
  options: {
    event: {
      value: 'TYPE',
      many: true,
      help: 'for add: only this event, such as message.created; all by default',
    },
    profile: profileOption,
    json: { help: 'one JSON object' },
  },
  examples: [
    'relay webhooks add https://agent.example.com/hook --event message.created',
    'relay webhooks test 4f8c',
  ],
  words: [0, 2],
  profiles: ['agent', 'expert'],
  async run(context, { options, words: [action = 'list', ...words] }): Promise<Outcome> {
    if (!isAction(action)) throw noSuchAction(action);
    requireWords(action, words);
    const { json = false, event } = options;
    if (event && action !== 'add')
      throw new Failure('usage', '--event is only for `relay webhooks add`.\nMore: relay help webhooks');
    const access = requireRelay(context.config, { kind: 'consumer', folder: context.folder });
    const calls = callWebhooks(access, context.signal);
    const [word = ''] = words;
    if (action === 'list') showWebhooks(context, await calls.list(), json);
    else if (action === 'add') await add(context, calls, { url: word, events: event, json });
    else {
      const { id } = await calls.find(word);
      if (action === 'test') await testAndWait(context, calls, { id, json });
      else {
        await calls.remove(id);
        const { out } = context;
        if (json) out.line(JSON.stringify({ outcome: 'done', exit: 0, id, state: 'removed' }));
        else out.line(`The webhook ${id} is removed.`);
      }
    }
    return 'done';
  },
});

function noSuchAction(word: string): Failure {
  const meant = nearest(word, Object.keys(actions));
  const next = meant ? ` Did you mean ${meant}?` : '';
  return new Failure('usage', `There is no \`relay webhooks ${word}\`.${next}\nMore: relay help webhooks`);
}

function requireWords(action: Action, words: readonly string[]): void {
  if (words.length === actions[action]) return;
  const usage = webhooks.usage.find((way) => way.split(' ')[0] === action) ?? '';
  const what =
    words.length < actions[action] ? 'Something is missing.' : `"${words.at(-1)}" is not expected here.`;
  throw new Failure(
    'usage',
    `${what} It is called like this: ${`relay webhooks ${usage}`.trimEnd()}\nMore: relay help webhooks`,
  );
}

/** One line each. */
function showWebhooks({ out, err }: Context, webhooks: readonly Webhook[], json: boolean): void {
  if (json) {
    out.line(JSON.stringify({ webhooks }));
    return;
  }
  if (webhooks.length === 0) err.paragraph('There are no webhooks. Add one: relay webhooks add https://...');
  for (const webhook of webhooks) {
    const { id, keyId, url } = webhook;
    const of = keyId === undefined ? 'expert' : 'agent ';
    out.line(`${id}  ${of}  ${describeState(webhook)}  ${url === undefined ? '-' : out.shown(url)}`);
  }
}

function describeState({ enabled, offReason, failingSince }: Webhook): string {
  if (!enabled) return offReason === undefined || offReason === 'owner' ? 'off' : `off (${offReason})`;
  return failingSince === undefined ? 'on' : `failing since ${shortTime(failingSince)}`;
}

async function add(
  { out, err }: Context,
  calls: WebhookCalls,
  { json, ...given }: { url: string; events: readonly string[] | undefined; json: boolean },
): Promise<void> {
  const webhook = await calls.add(given);
  const { id, url, events, secret } = webhook;
  if (json) out.line(JSON.stringify(webhook));
  else {
    out.line(`Webhook  ${id}`);
    out.line(`Address  ${out.shown(url)}`);
    out.line(`Events   ${events.join(', ')}`);
    out.line(`Secret   ${secret}`);
  }
  if (!(await out.written()))
    throw new Failure(
      'failed',
      `The secret of this webhook could not be written, and is shown only once. Remove the webhook, and add it again: relay webhooks remove ${id}`,
    );
  if (!json) err.paragraph('The secret is shown this once. Try the address: relay webhooks test ID');
}

const pollMs = 500;
/** An attempt takes up to ten seconds, and may have to wait for others. */
const timeoutMs = 40_000;

/** Sends a test, waits for its result, and shows it. A failed test is a failure of the command. */
async function testAndWait(
  { out, signal, now }: Context,
  calls: WebhookCalls,
  { id, json }: { id: string; json: boolean },
): Promise<void> {
  const until = now() + timeoutMs;
  let delivery = await calls.test(id);
  while (!hasResult(delivery) && now() < until) {
    await pause(pollMs, undefined, { signal });
    delivery = (await calls.deliveries(id)).find((each) => each.id === delivery.id) ?? delivery;
  }
  const { state, reason, statusCode, durationMs, response = '' } = delivery;
  if (state !== 'delivered') {
    const cause = [reason, statusCode].filter((each) => each !== undefined).join(', ');
    const quoted = reason !== undefined && response !== '' ? `: ${out.shown(response)}` : '.';
    const text = hasResult(delivery) ? `${state} (${cause})${quoted}` : `${state}: there is no result yet.`;
    throw new Failure('failed', `${delivery.id} ${text}`, {
      code: reason ?? state,
      hint: 'What the reasons mean is in docs/notifications.md.',
      details: { delivery },
    });
  }
  if (json) out.line(JSON.stringify({ outcome: 'done', exit: 0, delivery }));
  else out.line(`${delivery.id} delivered (${statusCode}, ${durationMs} ms)`);
}

const hasResult = ({ state, attempts }: WebhookDelivery): boolean =>
  state !== 'sending' && (state !== 'waiting' || attempts > 0);
