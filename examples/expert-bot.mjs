// Answers every request by a function of its own, end-to-end encrypted where the agent sent keys. Run:
// RELAY_URL=http://127.0.0.1:8080 RELAY_API_KEY=hs_prov_... node examples/expert-bot.mjs
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';

const { RELAY_URL: url = 'http://127.0.0.1:8080', RELAY_API_KEY: apiKey = '' } = process.env;
const { BOT_ROOT_FILE: rootFile = '.relay/expert-bot.root' } = process.env;

const expert = createExpert({ url, apiKey, root: await openRoot() });
console.error(`I am ${await expert.fingerprint()}. Waiting for requests; Ctrl-C ends.`);
for await (const request of expert.requests()) {
  // After a restart, requests come that were answered before.
  if (request.responseCount > 0) continue;
  // Without `plaintext`, an agent that sent no keys would get no answer: the relay can read such a one.
  await request.answer(answerTo(request.question), { plaintext: true });
  console.error(`${request.refCode} is answered.`);
}

/** What this expert knows: put your runbook, your search or your model here. */
function answerTo(question) {
  return `You asked: ${question} I am only an example, but I would wait.`;
}

/** The secret that makes this expert the same one tomorrow. Whoever has it can speak in its name. */
async function openRoot() {
  const kept = await readFile(rootFile).catch(() => undefined);
  if (kept) return new Uint8Array(kept);
  const root = makeRoot();
  await mkdir(dirname(rootFile), { recursive: true });
  await writeFile(rootFile, root, { mode: 0o600, flag: 'wx' });
  return root;
}
