// node submit-sample.mjs <gateway> <file>, where the file is what `create-user --json` prints
import { readFileSync } from 'node:fs';

const [gateway = '', file = ''] = process.argv.slice(2);
const { keys } = JSON.parse(readFileSync(file, 'utf8'));
const { key } = keys.find((/** @type {{ kind: string }} */ { kind }) => kind === 'consumer');
const question = 'May I remove the lock file?';
const response = await fetch(`${gateway}/api/v1/help`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  signal: AbortSignal.timeout(30_000),
  body: JSON.stringify({ apiKey: key, messages: [], question, plaintext: question }),
});
console.log(response.status, await response.text());
process.exitCode = response.ok ? 0 : 1;
