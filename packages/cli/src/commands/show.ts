import { resolve } from 'node:path';
import type { Party } from '@expert-relay/sdk';
import { defineCommand } from '../arguments/command.ts';
import { readRefCode } from '../arguments/read-values.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../exit-codes.ts';
import { errorToJson } from '../explain-error.ts';
import { Failure } from '../failure.ts';
import { saveFiles } from '../files/save-files.ts';
import { type ConversationView, showConversation } from '../messages/conversation-view.ts';
import { partsToJson } from '../messages/message-parts.ts';
import { showListToAgent, showListToExpert } from '../messages/request-list.ts';
import { showToAgent } from '../messages/view-as-agent.ts';
import { showToExpert } from '../messages/view-as-expert.ts';
import { acceptUnprotectedOption } from '../relay/open-agent.ts';
import { requireRelay } from '../relay/require-relay.ts';
import { profileOption } from '../relay/with-profile.ts';

export const show = defineCommand({
  name: 'show',
  summary: 'a conversation, decrypted; or the list of your requests',
  usage: ['', 'HS-...'],
  about:
    'Shows how each message is protected. Of a conversation that an agent has begun on another machine, only the state is shown.',
  options: {
    save: {
      value: 'DIR',
      help: "save the other side's files in this folder, readable by you alone; no file is overwritten",
    },
    'accept-unprotected': acceptUnprotectedOption,
    profile: profileOption,
    json: { help: 'one JSON object' },
  },
  examples: [
    'relay show',
    'relay show HS-7KQ2M9XD',
    'relay show HS-7KQ2M9XD --json',
    'relay show HS-7KQ2M9XD --save ./files',
  ],
  words: [0, 1],
  profiles: ['expert', 'agent'],
  async run(context, { options, words: [word] }) {
    const { config, folder } = context;
    const json = options.json === true;
    const refCode = word === undefined ? undefined : readRefCode(word);
    const access = requireRelay(config, { kind: 'consumer', folder });
    if (refCode === undefined && options.save !== undefined)
      throw new Failure('usage', '--save needs a conversation: relay show HS-... --save DIR');
    if (refCode === undefined) {
      if (access.kind === 'provider') await showListToExpert(context, json);
      else await showListToAgent(context, json);
      return 'done';
    }
    const me = access.kind === 'consumer' ? 'agent' : 'expert';
    const show = (view: ConversationView) => {
      const saved = options.save === undefined ? undefined : save(resolve(folder, options.save), view, me);
      if (json) context.out.line(JSON.stringify(toJson(view, saved)));
      else showConversation(context, view, me);
      if (saved?.length === 0) context.err.paragraph('\nThere are no files of the other side.');
      for (const path of saved ?? []) context.err.line(`saved: ${context.err.shown(path)}`);
    };
    const acceptsUnprotected = config.acceptsUnprotected || options['accept-unprotected'] === true;
    const view =
      access.kind === 'provider'
        ? await showToExpert(context, refCode, show)
        : await showToAgent(context, refCode, { acceptsUnprotected, show });
    return endOf(context, view, json);
  },
});

function toJson(
  { refused, messages, files, ...view }: ConversationView,
  saved: readonly string[] | undefined,
) {
  return {
    ...view,
    ...partsToJson({ files }),
    messages: messages.map(partsToJson),
    ...(saved && { saved }),
    ...(refused && { refused: errorToJson(refused) }),
  };
}

/** The files of the other side, saved. */
function save(folder: string, { messages }: ConversationView, me: Party): string[] {
  const files = messages.filter(({ from }) => from !== me).flatMap(({ files = [] }) => files);
  return saveFiles(
    folder,
    files.flatMap(({ name, bytes }) => (bytes ? [{ name, bytes }] : [])),
  );
}

/** The list ends with a refused message, since later ones cannot be trusted. */
function endOf({ err }: Context, { refused }: ConversationView, json: boolean): Outcome {
  if (!refused) return 'done';
  if (!json) err.line();
  err.paragraph(`The next message is not shown. ${refused.message}`, { style: 'red' });
  return refused.outcome;
}
