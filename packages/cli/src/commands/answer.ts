import { defineCommand } from '../arguments/command.ts';
import { readRefCode } from '../arguments/read-values.ts';
import { hasCode, isRefusal } from '../explain-error.ts';
import { Failure } from '../failure.ts';
import { openExpert } from '../relay/open-expert.ts';
import { warnWhenSlow } from '../relay/outages.ts';
import { readCurrentMessages } from '../relay/read-current-messages.ts';
import { isConfidential, requireOpen } from '../relay/request-state.ts';
import { readText } from './ask/read-question.ts';
import { requireShown, requireStill } from './show/require-shown.ts';

export const answer = defineCommand({
  name: 'answer',
  summary: 'answers a request, as an expert',
  usage: ['HS-... "text"', 'HS-... -'],
  about:
    'Picks the request up if it was not, encrypts the answer, and sends it. A confidential question is read first, with `relay pickup`. If only one side has keys, the answer can only be sent as plain text: give --plaintext each time. `-` reads the text from a pipe. You can send several answers. The answer belongs to what was on standard output at least five seconds before: where the question or a newer message was not shown, it is shown now, and at a terminal you are asked; elsewhere nothing is sent (exit code 12).',
  options: {
    plaintext: { help: 'allow plain text where only one side has keys: the relay can read it' },
    'even-if-newer': {
      help: 'send it although the agent has written something newer, which it is told you had not seen',
    },
    json: { help: 'one JSON object' },
  },
  examples: ['relay answer HS-7KQ2M9XD "Yes, it is stale."', 'relay answer HS-7KQ2M9XD - < answer.md'],
  words: [2, 2],
  async run(context, { options, words: [code = '', word = ''] }) {
    const startedAt = context.now();
    const { plaintext = false, json, 'even-if-newer': evenIfNewer = false } = options;
    const refCode = readRefCode(code);
    const { expert, outages, hasKeys, hasAnyKeys } = await openExpert(context, {
      instead: `An agent sends messages with: relay ask --resume ${refCode} "..."`,
    });
    const { out, err, signal } = context;
    try {
      const request = await warnWhenSlow(err, outages, expert.request(refCode, { signal }));
      // It throws what the request is refused for: that is more serious than missing keys.
      if (request.refused) await request.refresh({ signal });
      if (request.encrypted && !hasKeys && !plaintext) {
        throw new Failure(
          'state',
          'The agent expects an encrypted answer, and this machine has no keys. Make them: relay keys make. Or bring them here: relay keys restore. Or answer without encryption: --plaintext',
        );
      }
      if (!request.encrypted && hasAnyKeys && !plaintext) {
        throw new Failure(
          'usage',
          `Not sent: ${refCode} came without keys of the agent, so the relay could read the answer. To send it anyway: relay answer ${refCode} "..." --plaintext`,
        );
      }
      const { messages, refused } = await readCurrentMessages(request, signal, { isFresh: true });
      if (refused && isRefusal(refused)) throw refused;
      requireOpen(request);
      if (isConfidential(request) && !request.isPickedUp) {
        throw new Failure(
          'usage',
          `Not sent: the agent sends the question of ${refCode} only after the pick-up. Read it first: relay pickup ${refCode}`,
        );
      }
      let shown = await requireShown(context, { expert, request, read: messages, startedAt, evenIfNewer });
      const text = await readText(context, word);
      const send = () =>
        warnWhenSlow(err, outages, request.answer(text, { signal, plaintext, shown, evenIfNewer }));
      const { messageId, isSent } = await send().catch(async (error: unknown) => {
        if (!hasCode(error, 'newer_message')) throw error;
        await request.discard();
        shown = await requireStill(context, { expert, request, read: messages });
        return await send();
      });
      if (!isSent) throw new Failure('failed', `The answer to ${refCode} was not sent. Try again.`);
      const protection = request.encrypted && hasKeys ? 'sequenced' : 'plaintext';
      const { requestId } = request;
      await expert.markShown(requestId, [messageId]);
      const consumers = messages.filter(({ role }) => role === 'consumer');
      const lastText = consumers.findLast((one) => shown.includes(one.messageId))?.text;
      const question = request.question || (request.plaintext ?? '');
      if (json) {
        const about = { refCode, requestId, question, messageId, protection };
        out.line(JSON.stringify({ outcome: 'done', exit: 0, ...about }));
        return 'done';
      }
      const how = protection === 'plaintext' ? 'in plain text' : 'end-to-end encrypted';
      const to = lastText ?? question;
      const what = lastText === undefined ? 'The question:' : 'The last message of the agent:';
      out.line(`${refCode} answered, ${how}. ${to === '' ? withoutQuestion : what}`);
      if (to !== '') out.foreign(to, { indent: '  ' });
      return 'done';
    } finally {
      outages.stop();
      expert.stop();
    }
  },
});

const withoutQuestion = 'It has no question, only what was said before.';
