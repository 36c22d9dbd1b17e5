import { defineCommand } from '../arguments/command.ts';
import { readRefCode } from '../arguments/read-values.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../exit-codes.ts';
import { requireRelay } from '../relay/require-relay.ts';
import { acceptUnprotectedOption } from './ask/read-plan.ts';
import { type ConversationView, showConversation } from './show/conversation-view.ts';
import { showListToAgent, showListToExpert } from './show/request-list.ts';
import { showToAgent } from './show/view-as-agent.ts';
import { showToExpert } from './show/view-as-expert.ts';

export const show = defineCommand({
  name: 'show',
  summary: 'a conversation, decrypted; or the list of your requests',
  usage: ['', 'HS-...'],
  about:
    'Shows how each message is protected. Messages that were encrypted for keys on another machine cannot be read here.',
  options: { 'accept-unprotected': acceptUnprotectedOption, json: { help: 'one JSON object' } },
  examples: ['relay show', 'relay show HS-7KQ2M9XD', 'relay show HS-7KQ2M9XD --json'],
  words: [0, 1],
  async run(context, { options, words: [word] }) {
    const { config, folder } = context;
    const json = options.json === true;
    const refCode = word === undefined ? undefined : readRefCode(word);
    const access = requireRelay(config, { kind: 'consumer', folder });
    if (refCode === undefined) {
      if (access.kind === 'provider') await showListToExpert(context, json);
      else await showListToAgent(context, json);
      return 'done';
    }
    const show = (view: ConversationView) => {
      if (json) context.out.line(JSON.stringify(toJson(view)));
      else showConversation(context, view, access.kind);
    };
    const acceptsUnprotected = config.acceptsUnprotected || options['accept-unprotected'] === true;
    const view =
      access.kind === 'provider'
        ? await showToExpert(context, refCode, show)
        : await showToAgent(context, refCode, { acceptsUnprotected, show });
    return endOf(context, view, json);
  },
});

function toJson({ refused, ...view }: ConversationView) {
  return { ...view, ...(refused && { refused: { code: refused.code, message: refused.message } }) };
}

/** The list ends with a refused message, since later ones cannot be trusted. */
function endOf({ err }: Context, { refused }: ConversationView, json: boolean): Outcome {
  if (!refused) return 'done';
  if (!json) err.line();
  err.paragraph(`The next message is not shown. ${refused.message}`, { style: 'red' });
  return refused.outcome;
}
