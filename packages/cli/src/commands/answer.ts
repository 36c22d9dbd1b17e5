import { RelayError } from '@expert-relay/sdk';
import type { Deciding, ExpertRequest } from '@expert-relay/sdk/expert';
import { defineCommand } from '../arguments/command.ts';
import { readRefCode } from '../arguments/read-values.ts';
import type { Context } from '../context.ts';
import { isRefusal } from '../explain-error.ts';
import { Failure } from '../failure.ts';
import { readFileToSend } from '../files/file-to-send.ts';
import { showContent } from '../forms/show-form.ts';
import { decisionWord } from '../messages/message-parts.ts';
import { isFormShown, requireShown, requireStill } from '../messages/require-shown.ts';
import { connectExpert } from '../relay/connect-expert.ts';
import { warnWhenSlow } from '../relay/outages.ts';
import { readCurrentMessages } from '../relay/read-current-messages.ts';
import { askedTexts, isConfidential, requireOpen } from '../relay/request-state.ts';
import { answerOptions, readAnswerPlan } from './answer/read-plan.ts';
import { requireCounted, requireSameForm, writeAnswer } from './answer/write-answer.ts';

export const answer = defineCommand({
  name: 'answer',
  summary: 'answers a request, as an expert',
  usage: [
    'HS-... "text"',
    'HS-... -',
    'HS-... --approve | --decline ["comment"]',
    'HS-... --choose OPTION',
    'HS-...',
  ],
  about:
    'Picks the request up if it was not, waits for files that the agent has announced, encrypts the answer, and sends it. A confidential question is read first, with `relay pickup`. Where the agent asks for an approval, a choice or a form, a text is no decision: use --approve, --decline, --choose or --set; without any of them, you are asked at a terminal. If only one side has keys, the answer can only be sent as plain text: give --plaintext each time. `-` reads the text from a pipe. You can send several answers. The answer belongs to what was on standard output at least five seconds before: where the question or a newer message was not shown, it is shown at a terminal, and you are asked; elsewhere, and with --json, nothing is sent (exit code 12).',
  options: answerOptions,
  examples: [
    'relay answer HS-7KQ2M9XD "Yes, it is stale."',
    'relay answer HS-7KQ2M9XD - < answer.md',
    'relay answer HS-7KQ2M9XD --approve',
    'relay answer HS-7KQ2M9XD --decline "Not before the backup."',
    'relay answer HS-7KQ2M9XD --choose eu',
    'relay answer HS-7KQ2M9XD --set region=eu --set count=3',
    'relay answer HS-7KQ2M9XD "See the picture." --attach screenshot.png',
  ],
  words: [1, 2],
  profiles: ['expert'],
  async run(context, { options, words: [code = '', word] }) {
    const startedAt = context.now();
    const { plaintext = false, json = false, 'even-if-newer': evenIfNewer = false } = options;
    const withoutParts = options['without-parts'] === true;
    const refCode = readRefCode(code);
    const plan = readAnswerPlan(options, word, context.input.isTerminal);
    const files = plan.files.map((path) => readFileToSend(path));
    const { expert, outages, hasKeys, hasAnyKeys } = await connectExpert(context, {
      instead: `An agent sends messages with: relay ask --resume ${refCode} "..."`,
    });
    const { out, err, signal } = context;
    try {
      const request = await warnWhenSlow(err, outages, expert.request(refCode, { signal }));
      // It throws what the request is refused for: that is more serious than missing keys.
      if (request.refused) await request.refresh({ signal });
      requireKeys(request, { hasKeys, hasAnyKeys, plaintext, isDecision: plan.kind !== 'text' });
      const { messages, refused } = await readCurrentMessages(request, signal, { isFresh: true });
      if (refused && isRefusal(refused)) throw refused;
      requireOpen(request);
      if (isConfidential(request) && !request.isPickedUp) {
        throw new Failure(
          'unseen',
          `Not sent: the agent sends the question of ${refCode} only after the pick-up. Read it first: relay pickup ${refCode}`,
          { code: 'parts_missing', details: { refCode } },
        );
      }
      const opened = { expert, request, read: messages, json };
      let shown = await requireShown(context, { ...opened, startedAt, evenIfNewer });
      if (plan.kind !== 'text' && !isFormShown(shown)) shown = await requireStill(context, opened);
      if (request.missingParts && hasKeys && !withoutParts) {
        err.paragraph('The agent has announced more, which comes now. Waiting for it, for up to 30 s.');
        await request.receive({ signal });
        shown = await requireStill(context, { ...opened, read: shown.read });
      }
      const form = request.form?.form;
      const written = await writeAnswer(context, request, plan);
      const { text, decision } = written;
      const send = () => {
        const sending = { decision, files, signal, plaintext, shown: shown.ids, evenIfNewer, withoutParts };
        return warnWhenSlow(err, outages, request.answer(text, sending));
      };
      const { messageId, isSent } = await send().catch(async (error: unknown) => {
        if (!RelayError.is(error, 'newer_message')) throw error;
        shown = await requireStill(context, { ...opened, read: shown.read }, () =>
          requireSameForm(context, request, { written, form }),
        );
        // In place of the one that is held. If that has arrived meanwhile, the agent knows that it had not seen what is newer.
        return await send();
      });
      if (!isSent) throw new Failure('failed', `The answer to ${refCode} was not sent. Try again.`);
      await expert.markShown(request.requestId, [messageId]);
      const protection = request.encrypted && hasKeys ? 'sequenced' : 'plaintext';
      const read = shown.read.filter(({ from, messageId: id }) => from === 'agent' && shown.ids.includes(id));
      // As JSON there is one object: the result, or the failure.
      if (decision && json) requireCounted(request);
      // A message may have only files.
      const lastText = read.findLast(({ text }) => text)?.text;
      report(out, { request, messageId, protection, decision, lastText, json });
      if (decision) requireCounted(request);
      return 'done';
    } finally {
      outages.stop();
      expert.stop();
    }
  },
});

/** Plain text needs the user's word where one side has keys. */
function requireKeys(
  { refCode, encrypted }: ExpertRequest,
  {
    hasKeys,
    hasAnyKeys,
    plaintext,
    isDecision,
  }: { hasKeys: boolean; hasAnyKeys: boolean; plaintext: boolean; isDecision: boolean },
): void {
  // An agent with keys takes no decision in plain text.
  if (encrypted && !hasKeys && (isDecision || !plaintext)) {
    const orPlain = isDecision ? '' : ' Or answer without encryption: --plaintext';
    throw new Failure(
      'state',
      `The agent expects an encrypted answer, and this machine has no keys. Make them: relay keys make. Or bring them here: relay keys restore.${orPlain}`,
    );
  }
  if (!encrypted && hasAnyKeys && !plaintext)
    throw new Failure(
      'usage',
      `Not sent: ${refCode} came without keys of the agent, so the relay could read the answer. To send it anyway: relay answer ${refCode} "..." --plaintext`,
    );
}

interface Sent {
  readonly request: ExpertRequest;
  readonly messageId: string;
  readonly protection: 'sequenced' | 'plaintext';
  readonly decision: Deciding | undefined;
  /** The newest text of the agent that the answer has seen. */
  readonly lastText: string | undefined;
  readonly json: boolean;
}

/** Prints what was answered, and to what. */
function report(
  out: Context['out'],
  { request, messageId, protection, decision, lastText, json }: Sent,
): void {
  const { refCode, requestId, form } = request;
  const { question } = askedTexts(request);
  if (json) {
    const about = { refCode, requestId, question, messageId, protection };
    const decided = decision && { action: decision.action, content: decision.content };
    out.line(JSON.stringify({ outcome: 'done', exit: 0, ...about, decision: decided }));
    return;
  }
  const how = protection === 'plaintext' ? 'in plain text' : 'end-to-end encrypted';
  const to = lastText ?? question;
  const what = lastText === undefined ? 'The question:' : 'The last message of the agent:';
  const did = decision ? decisionWord(decision.action, form?.form) : 'answered';
  out.line(`${refCode} ${did}, ${how}. ${to === '' ? withoutQuestion : what}`);
  if (to !== '') out.foreign(to, { indent: '  ' });
  if (decision?.content) showContent(out, form?.form, decision.content);
}

const withoutQuestion = 'It has no question, only what was said before.';
