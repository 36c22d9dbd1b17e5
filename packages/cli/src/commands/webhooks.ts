import { defineCommand } from '../arguments/command.ts';
import { nearest } from '../arguments/nearest.ts';
import type { Outcome } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { requireRelay } from '../relay/require-relay.ts';
import { callWebhooks } from '../relay/webhooks.ts';
import { sendAndWait } from './webhooks/send-and-wait.ts';
import { showDeliveries, showSecret, showState, showWebhooks } from './webhooks/show-webhooks.ts';

/** The number of words after each action. */
const actions = {
  list: 0,
  add: 1,
  deliveries: 1,
  test: 1,
  resend: 2,
  rotate: 1,
  enable: 1,
  disable: 1,
  remove: 1,
} as const;
type Action = keyof typeof actions;

const isAction = (word: string): word is Action => Object.hasOwn(actions, word);

export const webhooks = defineCommand({
  name: 'webhooks',
  summary: 'programs that are called when something happens: list, add, test, deliveries and others',
  usage: [
    '',
    'add https://agent.example.com/hook [--event TYPE]...',
    'deliveries ID',
    'test ID',
    'resend ID msg_...',
    'rotate ID [--now]',
    'enable ID',
    'disable ID',
    'remove ID',
  ],
  about:
    "A webhook calls an address when something happens: with an agent's key, in the requests of this key; with an expert's key, in all requests. Calls are signed with a secret that `add` and `rotate` show once, after Standard Webhooks 1.0. `test` and `resend` wait for the result. Instead of an ID, its first characters are enough. An expert's key also manages the webhooks of its agents.",
  options: {
    event: {
      value: 'TYPE',
      many: true,
      help: 'for add: only this event, such as message.created; all by default',
    },
    now: { help: 'for rotate: the old secret ends at once, and not after a day' },
    json: { help: 'one JSON object' },
  },
  examples: [
    'relay webhooks add https://agent.example.com/hook --event message.created',
    'relay webhooks test 4f8c',
    'relay webhooks deliveries 4f8c --json',
  ],
  words: [0, 3],
  async run(context, { options, words: [action = 'list', ...words] }): Promise<Outcome> {
    if (!isAction(action)) throw noSuchAction(action);
    requireWords(action, words);
    const { json = false, now = false, event } = options;
    if (event && action !== 'add') throw onlyFor('--event', 'add');
    if (now && action !== 'rotate') throw onlyFor('--now', 'rotate');
    const access = requireRelay(context.config, { kind: 'consumer', folder: context.folder });
    const calls = callWebhooks(access, context.signal);
    const [word = '', deliveryId = ''] = words;
    if (action === 'list') showWebhooks(context, await calls.list(), { json });
    else if (action === 'add')
      await showSecret(context, await calls.add({ url: word, events: event }), { json });
    else {
      const { id } = await calls.find(word);
      if (action === 'deliveries') showDeliveries(context, await calls.deliveries(id), { json });
      else if (action === 'rotate')
        await showSecret(context, await calls.rotate(id, { graceSeconds: now ? 0 : undefined }), { json });
      else if (action === 'remove') {
        await calls.remove(id);
        showState(context, { id }, 'removed', { json });
      } else if (action === 'enable' || action === 'disable') {
        const changed = await calls.setEnabled(id, action === 'enable');
        showState(context, changed, changed.enabled ? 'on' : 'off', { json });
      } else {
        const send = action === 'test' ? calls.test(id) : calls.resend(id, deliveryId);
        return await sendAndWait(context, calls, { id, sent: await send, json });
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

const onlyFor = (option: string, action: Action): Failure =>
  new Failure('usage', `${option} is only for \`relay webhooks ${action}\`.\nMore: relay help webhooks`);
