import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { createLog } from './index.ts';

function capture() {
  let text = '';
  const destination = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  return { log: createLog('test', { level: 'info', destination }), read: () => text };
}

test('one JSON line with service, level and time', () => {
  const { log, read } = capture();
  log.info({ status: 201 }, 'call');
  expect(JSON.parse(read())).toEqual({
    service: 'test',
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    status: 201,
    msg: 'call',
  });
});

test.each([
  'apiKey',
  'authorization',
  'ciphertext',
  'content',
  'cookie',
  'encrypted',
  'plaintext',
  'question',
  'set-cookie',
  'token',
  'x-api-key',
  'x-relay-principal',
])('%s is redacted down to three levels', (field) => {
  const { log, read } = capture();
  log.info({ [field]: 'hunter2', request: { [field]: 'hunter2', headers: { [field]: 'hunter2' } } }, 'call');
  expect(read()).toContain('[redacted]');
  expect(read()).not.toContain('hunter2');
});

test('an error keeps its message, its code and its stack, and no fields but known ones', () => {
  const { log, read } = capture();
  const error = Object.assign(new Error('refused'), {
    code: 'E1',
    token: 'hunter2',
    input: 'https://hunter2',
    detail: 'Failing row contains (hunter2)',
    errors: [{ input: 'hunter2' }],
  });
  const several = new AggregateError([error], 'several');
  for (const err of [error, several, 'no error', undefined, null])
    log.error({ err, cause: [{ token: 'hunter2' }] }, 'failed');
  const [one, all, ...others] = read()
    .split('\n')
    .map((line) => line && JSON.parse(line).err);
  const stack = expect.stringContaining('refused');
  expect(one).toEqual({
    type: 'Error',
    message: 'refused',
    code: 'E1',
    stack,
    aggregateErrors: [{ type: 'object' }],
  });
  expect(all).toMatchObject({ message: 'several', aggregateErrors: [one] });
  expect(others.slice(0, 3)).toEqual([{ type: 'string' }, undefined, { type: 'object' }]);
  expect(read()).toContain('Error: refused');
  expect(read()).not.toContain('hunter2');
});

test('the object that was logged is not changed', () => {
  const { log, read } = capture();
  const line = { list: [{ token: 'hunter2' }], bytes: Buffer.from('a') };
  log.info(line);
  expect(line.list[0]?.token).toBe('hunter2');
  expect(JSON.parse(read()).list).toEqual([{ token: '[redacted]' }]);
});
