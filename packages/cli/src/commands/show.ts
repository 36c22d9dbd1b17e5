import { defineCommand } from '../arguments/command.ts';
import { readRefCode } from '../arguments/read-values.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../exit-codes.ts';
import { listRequests } from '../relay/find-request.ts';
import { type Access, requireRelay } from '../relay/require-relay.ts';
import { splitByWidth } from '../terminal/text-width.ts';
import { acceptPlaintextOption } from './ask/read-plan.ts';
import { type ConversationView, shortTime, showConversation } from './show/conversation-view.ts';
import { viewAsAgent } from './show/view-as-agent.ts';
import { viewAsExpert } from './show/view-as-expert.ts';

export const show = defineCommand({
  name: 'show',
  summary: 'a conversation, decrypted; or the list of your requests',
  usage: ['', 'HS-...'],
  about:
    'Shows how each message is protected. Messages that were encrypted for keys on another machine cannot be read here.',
  options: { 'accept-plaintext': acceptPlaintextOption, json: { help: 'one JSON object' } },
  examples: ['relay show', 'relay show HS-7KQ2M9XD', 'relay show HS-7KQ2M9XD --json'],
  words: [0, 1],
  async run(context, { options, words: [word] }) {
    const { config, folder } = context;
    const json = options.json === true;
    const refCode = word === undefined ? undefined : readRefCode(word);
    const access = requireRelay(config, { kind: 'consumer', folder });
    if (refCode === undefined) {
      await showRequests(context, access, json);
      return 'done';
    }
    const view =
      access.kind === 'consumer'
        ? await viewAsAgent(context, refCode, options['accept-plaintext'] === true)
        : await viewAsExpert(context, refCode);
    if (json) context.out.line(JSON.stringify(toJson(view)));
    else showConversation(context, view, access.kind);
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

const newest = 20;

/** This key's requests, the newest first. */
async function showRequests({ out, err, signal }: Context, access: Access, json: boolean): Promise<void> {
  const requests = await listRequests(access, newest, signal);
  if (json) {
    out.line(JSON.stringify({ requests }));
    return;
  }
  if (requests.length === 0) err.paragraph('There are no requests yet. An agent makes one: relay ask "..."');
  for (const { refCode, status, createdAt, question } of requests) {
    const facts = `${refCode}  ${status.padEnd(9)}  ${shortTime(createdAt)}  `;
    // One line each. `relay show HS-...` shows the whole question.
    const text = out.shown(question.split('\n')[0] ?? '');
    const [fits = ''] = out.isTerminal ? splitByWidth(text, out.width - facts.length) : [text];
    out.line(facts + fits);
  }
}
