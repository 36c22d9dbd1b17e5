// Answers every request with a function, end-to-end encrypted. Run:
// RELAY_URL=http://127.0.0.1:8080 RELAY_API_KEY=hs_prov_... node examples/expert-bot.mjs
// With --plaintext it also answers agents that have sent no keys: the relay can read those answers.
// With --all it also answers what was asked before it started.
import { confidentialQuestion } from '@expert-relay/sdk';
import { createExpert } from '@expert-relay/sdk/expert';
import { openFolder } from './bot-folder.mjs';

const { RELAY_URL: url = 'http://127.0.0.1:8080', RELAY_API_KEY: apiKey } = process.env;
const { BOT_FOLDER: folder = '.relay/expert-bot' } = process.env;
const [plaintext, all] = ['--plaintext', '--all'].map((option) => process.argv.includes(option));
if (!apiKey) {
  console.error('Set RELAY_API_KEY to the provider key, as npm start prints it.');
  process.exit(2);
}

const expert = createExpert({ url, apiKey, ...(await openFolder(folder)) });
const before = all ? [] : (await expert.list({ status: 'pending' })).map(({ requestId }) => requestId);
console.error(`I am ${await expert.fingerprint()}. Waiting for requests; Ctrl-C ends.`);
// After a restart, requests that were answered before come again. Those that are left out here are not picked up.
const filter = ({ requestId, responseCount, isReopened }) =>
  isReopened || (responseCount === 0 && !before.includes(requestId));
for await (const request of expert.requests({ filter })) {
  try {
    await request.answer(answerTo(request), { plaintext });
    console.error(`${request.refCode} is answered.`);
  } catch (error) {
    // An error in one request must not stop the others.
    console.error(`${request.refCode} is not answered. ${error.message}`);
  }
}

/** What this expert knows: put your runbook, your search or your model here. */
function answerTo({ question, received }) {
  // The agent's messages: its confidential question, its files, and what it has written since.
  const [first] = received;
  const asked = question === confidentialQuestion ? first?.text : question;
  const files = received.flatMap(({ files = [] }) => files.map(({ name }) => name));
  const seen = files.length > 0 ? ` I have read ${files.join(', ')}.` : '';
  return `You asked: ${asked}${seen} I am only an example, but I would wait.`;
}
