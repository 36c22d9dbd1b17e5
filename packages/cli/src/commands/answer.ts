import { defineCommand } from '../arguments/command.ts';
import { readRefCode } from '../arguments/read-ref-code.ts';
import { Failure } from '../failure.ts';
import { openExpert } from '../relay/open-expert.ts';
import { sayWhenSlow } from '../relay/say-when-slow.ts';
import { readText } from './ask/read-question.ts';

export const answer = defineCommand({
  name: 'answer',
  summary: 'answers a request, as an expert',
  usage: ['HS-... "text"', 'HS-... -'],
  about:
    'Picks the request up if need be, encrypts the answer, and sends it. An agent without keys is answered in plain text: on a machine that has keys only with --plaintext, each time. `-` reads the text from a pipe. Several answers are fine.',
  options: {
    plaintext: { help: 'without encryption: the relay can read it' },
    json: { help: 'one JSON object' },
  },
  examples: ['relay answer HS-7KQ2M9XD "Yes, it is stale."', 'relay answer HS-7KQ2M9XD - < answer.md'],
  words: [2, 2],
  async run(context, { options: { plaintext = false, json }, words: [code = '', word = ''] }) {
    const refCode = readRefCode(code);
    const { expert, outages, hasKeys, hasAnyKeys } = await openExpert(context, {
      instead: `An agent says more with: relay ask --resume ${refCode} "..."`,
      plaintext,
    });
    const { out, err, signal } = context;
    try {
      const request = await sayWhenSlow(err, outages, expert.request(refCode, { signal }));
      if (request.encrypted && !hasKeys && !plaintext) {
        throw new Failure(
          'state',
          'The agent wants an encrypted answer, and this machine has no keys. Make them: relay keys make. Or bring them here: relay keys restore. Or answer in the open: --plaintext',
        );
      }
      if (!request.encrypted && hasAnyKeys && !plaintext) {
        // Keys that were there before and are gone are the graver news.
        await request.refresh({ signal });
        throw new Failure(
          'usage',
          `Not sent: ${refCode} came without keys of the agent, so the relay could read the answer. To send it all the same: relay answer ${refCode} "..." --plaintext`,
        );
      }
      const text = await readText(context, word);
      const { messageId, isSent } = await sayWhenSlow(
        err,
        outages,
        request.answer(text, { signal, plaintext }),
      );
      if (!isSent) throw new Failure('failed', `The answer to ${refCode} has not gone out. Try again.`);
      const protection = request.encrypted && !plaintext ? 'sequenced' : 'plaintext';
      const { requestId } = request;
      // Shown again: the list of requests, which is not signed, may have shown another question.
      const question = request.question || (request.plaintext ?? '');
      if (json) {
        const about = { refCode, requestId, question, messageId, protection };
        out.line(JSON.stringify({ outcome: 'done', exit: 0, ...about }));
        return 'done';
      }
      const how = protection === 'plaintext' ? 'in plain text' : 'end-to-end encrypted';
      out.line(`${refCode} answered, ${how}. It asks:`);
      out.foreign(question, { indent: '  ' });
      return 'done';
    } finally {
      outages.stop();
      expert.stop();
    }
  },
});
