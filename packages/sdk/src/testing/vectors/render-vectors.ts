import { RelayError } from '../../relay-error.ts';
import type { Draft } from './case.ts';
import { exchangeCases } from './cases/exchanges.ts';
import { keyCases } from './cases/keys.ts';
import { knownPartCases } from './cases/known-parts.ts';
import { messageCases } from './cases/messages.ts';
import { onceKeyCases } from './cases/once-keys.ts';
import { partCases } from './cases/parts.ts';
import { refusedMessages } from './cases/refused-messages.ts';
import { shownCases } from './cases/shown.ts';
import { submissionCases } from './cases/submissions.ts';
import { unprotectedCases } from './cases/unprotected.ts';
import { vaultCases } from './cases/vaults.ts';
import { versionCases } from './cases/versions.ts';
import { runCase } from './run-case.ts';

/** docs/crypto-vectors.json: every case with its result, the same bytes in each run. */
export async function renderVectors(): Promise<string> {
  const drafts = [
    ...(await keyCases()),
    ...submissionCases(),
    ...(await exchangeCases()),
    ...(await vaultCases()),
    ...(await messageCases()),
    ...(await partCases()),
    ...(await knownPartCases()),
    ...(await shownCases()),
    ...(await unprotectedCases()),
    ...(await refusedMessages()),
    ...onceKeyCases(),
    ...(await versionCases()),
  ];
  const names = new Set(drafts.map(({ name }) => name));
  if (names.size !== drafts.length) throw new Error('Two cases have one name.');
  const [valid, refused] = [[] as unknown[], [] as unknown[]];
  for (const draft of drafts) {
    const { name, kind, input, error } = draft;
    const outcome = await attempt(draft);
    if (outcome instanceof RelayError ? (outcome.reason ?? outcome.code) !== error : error !== undefined) {
      throw new Error(`"${name}" did not have the expected result.`, { cause: outcome });
    }
    if (error) refused.push({ name, kind, input, error });
    else valid.push({ name, kind, input, output: outcome });
  }
  const file = {
    scheme: 'expert-relay/v4',
    about: 'Made by `npm run docs`. What the kinds mean is said in docs/crypto-vectors.md.',
    valid,
    refused,
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

async function attempt({ kind, input }: Draft): Promise<unknown> {
  try {
    return await runCase(kind, input);
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
}
