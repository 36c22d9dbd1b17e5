import { expect, test } from '@jest/globals';
import { Problem, type ProblemCode, problems } from './index.ts';

test('a problem has the members of RFC 9457, and a stable code', () => {
  expect(JSON.parse(JSON.stringify(new Problem('rate_limited')))).toEqual({
    type: expect.stringMatching(/docs\/errors\.md#rate_limited$/),
    title: 'Too many requests',
    status: 429,
    detail: problems.rate_limited.help,
    error: 'rate_limited',
  });
});

test('a problem can have fields and another detail', () => {
  const fields = [{ path: 'role', code: 'required', message: 'This member is required.' }];
  expect(new Problem('invalid_request', { fields, detail: 'No role.' }).toJSON()).toMatchObject({
    fields,
    detail: 'No role.',
  });
});

test.each(Object.keys(problems) as ProblemCode[])(
  '%s has a 4xx or 5xx status and names the next step',
  (code) => {
    const { status, title, help } = problems[code];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(title).not.toMatch(/\.$/);
    expect(help).toMatch(/\.$/);
  },
);
