import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { isReason } from '../relay-error.ts';
import { problemError } from './problem-error.ts';

test.each([
  [409, 'conversation_full', 'conflict', 'conversation_full'],
  [409, 'conversation_closed', 'closed', undefined],
  [429, 'rate_limited', 'unavailable', 'rate_limited'],
  [429, 'too_many_at_once', 'unavailable', 'rate_limited'],
  [503, 'unavailable', 'unavailable', 'unreachable'],
  [413, 'payload_too_large', 'too_large', 'payload_too_large'],
  [404, 'not_found', 'not_found', undefined],
  [418, 'teapot', 'unavailable', 'unexpected_answer'],
  // What a relay says cannot be a reason of another code.
  [409, 'keys_changed', 'conflict', undefined],
  [400, 'toString', 'invalid_input', undefined],
  [503, 'rate_limited', 'unavailable', 'unreachable'],
] as const)('HTTP %i with %s is %s', (status, problem, code, reason) => {
  const error = problemError(new Response(undefined, { status }), { error: problem });
  expect(error).toMatchObject({ code, reason, status });
});

const errors = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
const ofTheRelay = [...errors.matchAll(/^## (\w+)\n\n\*\*(\d+)\*\*/gm)].map(
  ([, name = '', status]) => [name, Number(status)] as const,
);

test.each(ofTheRelay.filter(([name]) => isReason(name)))(
  '%s is a reason of the code of HTTP %i',
  (error, status) => {
    expect(problemError(new Response(undefined, { status }), { error }).reason).toBe(error);
  },
);
