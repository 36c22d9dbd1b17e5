import { RelayError, type RelayErrorName } from '@expert-relay/sdk';
import { describe, expect, test } from '@jest/globals';
import { exitCodes, type Outcome } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { AskFailure } from './conversation-pool/conversation-pool.ts';
import { explainFailure, nextSteps } from './explain-failure.ts';

const { signal } = new AbortController();

/** What a model does after an error. */
const kinds = {
  'calls again':
    /[Cc]all (again|wait_for_answer again)|[Mm]ake the same call (again|once more)|in several replies/,
  'asks under another name, or again': /under another one.*ask_expert/,
  'calls conversation_status': /^Call conversation_status without a reference/,
  'asks in a new request': /^No message can be sent any more\. .*call ask_expert/,
  'takes no answer, and asks the expert': /^Do not take .*sk .*with reply.*, then call wait_for_answer\.$/,
  'stops, and tells its user': /^Do not rely on this conversation any more, and tell your user/,
  'takes no answer, and tells its user':
    /^(Take nothing|Do not take|Nothing of it|Nothing was sent).*ell (your|the) user/,
  'tells its user': /tell your user/i,
} as const;

const table: Readonly<Record<keyof typeof nextSteps, keyof typeof kinds>> = {
  invalid_input: 'calls again',
  usage: 'calls again',
  invalid_form: 'calls again',
  too_large: 'calls again',
  answer_invalid: 'takes no answer, and asks the expert',
  answer_conflict: 'takes no answer, and asks the expert',
  unavailable: 'calls again',
  unreachable: 'calls again',
  unexpected_answer: 'calls again',
  answer_too_large: 'calls again',
  aborted: 'calls again',
  timeout: 'calls again',
  conflict: 'asks under another name, or again',
  once_reused: 'asks under another name, or again',
  unknown: 'calls conversation_status',
  closed: 'asks in a new request',
  expired: 'asks in a new request',
  withdrawn: 'asks in a new request',
  unknown_expert: 'takes no answer, and tells its user',
  new_expert: 'takes no answer, and tells its user',
  unprotected: 'takes no answer, and tells its user',
  plaintext: 'stops, and tells its user',
  unsupported_version: 'takes no answer, and tells its user',
  untrusted: 'stops, and tells its user',
  invalid_key: 'tells its user',
  refused: 'tells its user',
  not_found: 'tells its user',
  state: 'tells its user',
  failed: 'tells its user',
};

/** Options of the SDK and commands of the terminal. */
const notForModels = /`[a-z]+[A-Z]|\brelay (ask|answer|keys|show|doctor|listen|whoami|mcp)\b/;

describe('the text of an error', () => {
  test.each(Object.entries(table))('after %s, a model %s', (code, kind) => {
    expect(nextSteps[code as keyof typeof table]).toMatch(kinds[kind]);
    const error =
      code in exitCodes
        ? new Failure(code as Outcome, 'It happened.')
        : new RelayError(code as RelayErrorName, 'It happened.');
    const { reason } = error;
    const lines = explainFailure(error, signal).split('\n');
    expect(lines.slice(-2)).toEqual([
      `Next: ${nextSteps[code as keyof typeof table]}`,
      `Error code: ${reason ? `${error.code} (${reason})` : code}`,
    ]);
    expect(lines.join()).not.toMatch(notForModels);
  });

  test('a Failure with the code of an error of the SDK has the same next step', () => {
    const error = new Failure('untrusted', 'The code is taken.', { code: 'not_found' });
    expect(explainFailure(error, signal)).toContain(nextSteps.not_found);
  });

  test('a question that may have arrived is continued, unless it was altered', () => {
    const id = crypto.randomUUID();
    const textOf = (code: 'unreachable' | 'question_altered' | 'invalid_input') =>
      explainFailure(new AskFailure(id, new RelayError(code, 'It happened.')), signal);
    expect(textOf('unreachable')).toContain(`call wait_for_answer with the reference ${id}`);
    expect(textOf('question_altered')).toContain(nextSteps.untrusted);
    expect(textOf('invalid_input')).toContain(nextSteps.invalid_input);
  });
});
