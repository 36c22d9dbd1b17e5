// Answers every request with a function, end-to-end encrypted. Run:
// RELAY_URL=http://127.0.0.1:8080 RELAY_API_KEY=hs_prov_... node examples/expert-bot.mjs
// With --plaintext it also answers agents that have sent no keys: the relay can read those answers.
import { createHash } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';

const { RELAY_URL: url = 'http://127.0.0.1:8080', RELAY_API_KEY: apiKey } = process.env;
const { BOT_FOLDER: folder = '.relay/expert-bot' } = process.env;
const plaintext = process.argv.includes('--plaintext');
if (!apiKey) {
  console.error('Set RELAY_API_KEY to the provider key, as npm start prints it.');
  process.exit(2);
}

await mkdir(folder, { recursive: true, mode: 0o700 });
const expert = createExpert({ url, apiKey, root: await openRoot(), memory: openMemory() });
console.error(`I am ${await expert.fingerprint()}. Waiting for requests; Ctrl-C ends.`);
for await (const request of expert.requests()) {
  // After a restart, requests that were answered before come again.
  if (request.responseCount > 0) continue;
  try {
    await request.answer(answerTo(request.question), { plaintext });
    console.error(`${request.refCode} is answered.`);
  } catch (error) {
    // An error in one request must not stop the others.
    console.error(`${request.refCode} is not answered. ${error.message}`);
  }
}

/** What this expert knows: put your runbook, your search or your model here. */
function answerTo(question) {
  return `You asked: ${question} I am only an example, but I would wait.`;
}

/** The secret from which all of the expert's keys are derived. Anyone who has it can act as this expert. */
async function openRoot() {
  const path = join(folder, 'root');
  const kept = await readFile(path).catch(() => undefined);
  if (kept) return new Uint8Array(kept);
  const root = makeRoot();
  await writeFile(path, root, { mode: 0o600, flag: 'wx' });
  return root;
}

/** Keeps the agent's keys and the question of each request, so that the relay cannot show others after a restart. */
function openMemory() {
  const pathOf = (name) => join(folder, `${createHash('sha256').update(name).digest('hex')}.txt`);
  const get = (name) => readFile(pathOf(name), 'utf8').catch(() => undefined);
  // The value is written to a temporary file first, so that a reader never finds half of a file.
  async function write(name, value, move) {
    const draft = `${pathOf(name)}.${crypto.randomUUID()}`;
    await writeFile(draft, value, { mode: 0o600 });
    await move(draft, pathOf(name)).finally(() => rm(draft, { force: true }));
  }
  return {
    get,
    set: (name, value) => write(name, value, rename),
    async remember(name, value) {
      // `link` fails when the file exists: of two writers, the first one wins.
      await write(name, value, link).catch(() => {});
      return (await get(name)) ?? value;
    },
  };
}
