import { defineCommand } from '../arguments/command.ts';
import { readRefCode } from '../arguments/read-values.ts';
import { Failure } from '../failure.ts';
import { openExpert } from '../relay/open-expert.ts';
import { warnWhenSlow } from '../relay/outages.ts';
import { readCurrentMessages } from '../relay/read-current-messages.ts';
import { isConfidential, requireOpen } from '../relay/request-state.ts';
import { readText } from './ask/read-question.ts';

export const answer = defineCommand({
  name: 'answer',
  summary: 'answers a request, as an expert',
  usage: ['HS-... "text"', 'HS-... -'],
  about:
    'Picks the request up if it was not, encrypts the answer, and sends it. A confidential question is read first, with `relay pickup`. If only one side has keys, the answer can only be sent as plain text: give --plaintext each time. `-` reads the text from a pipe. You can send several answers.',
  options: {
    plaintext: { help: 'allow plain text where only one side has keys: the relay can read it' },
    json: { help: 'one JSON object' },
  },
  examples: ['relay answer HS-7KQ2M9XD "Yes, it is stale."', 'relay answer HS-7KQ2M9XD - < answer.md'],
  words: [2, 2],
  async run(context, { options: { plaintext = false, json }, words: [code = '', word = ''] }) {
    const refCode = readRefCode(code);
    const { expert, outages, hasKeys, hasAnyKeys } = await openExpert(context, {
      instead: `An agent sends messages with: relay ask --resume ${refCode} "..."`,
    });
    const { out, err, signal } = context;
    try {
      const request = await warnWhenSlow(err, outages, expert.request(refCode, { signal }));
      if (request.encrypted && !hasKeys && !plaintext) {
        throw new Failure(
          'state',
          'The agent expects an encrypted answer, and this machine has no keys. Make them: relay keys make. Or bring them here: relay keys restore. Or answer without encryption: --plaintext',
        );
      }
      if (!request.encrypted && hasAnyKeys && !plaintext) {
        // Keys that were there before and are missing now are the more serious error.
        await request.refresh({ signal });
        throw new Failure(
          'usage',
          `Not sent: ${refCode} came without keys of the agent, so the relay could read the answer. To send it anyway: relay answer ${refCode} "..." --plaintext`,
        );
      }
      const { messages, refused } = await readCurrentMessages(request, signal, { isFresh: true });
      if (!refused) requireOpen(request);
      if (isConfidential(request) && !request.isPickedUp) {
        throw new Failure(
          'usage',
          `Not sent: the agent sends the question of ${refCode} only after the pick-up. Read it first: relay pickup ${refCode}`,
        );
      }
      const lastText = messages.findLast(({ role }) => role === 'consumer')?.text;
      const text = await readText(context, word);
      const { messageId, isSent } = await warnWhenSlow(
        err,
        outages,
        request.answer(text, { signal, plaintext }),
      );
      if (!isSent) throw new Failure('failed', `The answer to ${refCode} was not sent. Try again.`);
      const protection = request.encrypted && hasKeys ? 'sequenced' : 'plaintext';
      const { requestId } = request;
      // It is shown again: the list of requests is not signed and may have shown another question.
      const question = request.question || (request.plaintext ?? '');
      if (json) {
        const about = { refCode, requestId, question, messageId, protection };
        out.line(JSON.stringify({ outcome: 'done', exit: 0, ...about }));
        return 'done';
      }
      const how = protection === 'plaintext' ? 'in plain text' : 'end-to-end encrypted';
      out.line(
        `${refCode} answered, ${how}. ${lastText ? 'The last message of the agent' : 'The question'}:`,
      );
      out.foreign(lastText ?? question, { indent: '  ' });
      return 'done';
    } finally {
      outages.stop();
      expert.stop();
    }
  },
});
