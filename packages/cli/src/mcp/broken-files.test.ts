import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type McpSession, useMcpRelay } from '../testing/mcp-session.ts';

/* What a model reads where a file of the server is broken: its name, and what to do. */

const { withClient } = useMcpRelay();
const asked = { question: 'May I remove the lock?', idempotency_key: 'lock' };

/** All files whose path ends so. */
const filesOf = ({ env: { RELAY_CONFIG_DIR: folder = '' } }: McpSession, ending: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => ending.test(path));

/** Cuts a file off, as a disk may. Returns a function that puts it back. */
function cut(path: string): () => void {
  const whole = readFileSync(path);
  writeFileSync(path, whole.subarray(0, whole.length / 2));
  return () => {
    expect(readFileSync(path)).toEqual(whole.subarray(0, whole.length / 2));
    writeFileSync(path, whole);
  };
}

test.concurrent(
  'a broken conversation is named by every tool that needs it, and goes on once its file is back',
  withClient(async (session) => {
    const { agent } = session;
    const { reference, request } = await session.ask(asked);
    await request.answer('Yes.');
    const [path = ''] = filesOf(session, /\/conversation\.[0-9a-f-]{36}\.value$/);
    const putBack = cut(path);
    const next =
      /Next: If you cannot correct that yourself, tell your user\. Then make the same call again\./;
    for (const [tool, input] of [
      ['ask_expert', asked],
      ['wait_for_answer', { reference, max_seconds: 2 }],
      ['reply', { reference, text: 'Well?' }],
      ['conversation_status', { reference }],
      ['close', { reference }],
    ] as const) {
      const { isError, text } = await agent.call(tool, input);
      expect({ tool, isError, text }).toEqual({ tool, isError: true, text: expect.stringMatching(next) });
      expect(text).toContain(`The file ${path} is damaged: put it back from a backup, or remove it.`);
    }
    const list = await agent.call('conversation_status', {});
    expect(list.text).toContain(`Tell your user: The file ${path} is damaged`);
    expect(list.data).toEqual({ conversations: [] });
    // A question without a name, or with another one, does not need it.
    expect((await agent.call('ask_expert', { question: 'And now?' })).isError).toBeFalsy();
    expect((await agent.call('ask_expert', { ...asked, idempotency_key: 'else' })).isError).toBeFalsy();
    putBack();
    expect((await agent.call('ask_expert', asked)).data).toMatchObject({ reference });
    expect((await session.wait(reference)).data).toMatchObject({ answers: [{ text: 'Yes.' }] });
  }),
);

test.concurrent(
  'a question whose broken file was moved away is not asked twice',
  withClient(async (session) => {
    const { reference, request } = await session.ask(asked);
    await request.answer('Yes.');
    const [path = ''] = filesOf(session, /\/conversation\.[0-9a-f-]{36}\.value$/);
    renameSync(path, `${path}.broken`);
    expect((await session.agent.call('ask_expert', asked)).data).toMatchObject({ reference });
    expect((await session.wait(reference)).data).toMatchObject({ answers: [{ text: 'Yes.' }] });
  }),
);

test.concurrent.each([
  ['secret', /secret\.value$/],
  ['expert', /expert[^/]*\.value$/],
])('a broken %s is named, and nothing is lost', (what, ending) =>
  withClient(async (session) => {
    const { reference, request } = await session.ask(asked);
    await request.answer('Yes.');
    // The expert is remembered from the first answer on.
    await session.wait(reference);
    const second = await session.ask({ question: 'And the log?' });
    await second.request.answer('No.');
    const call = () =>
      what === 'secret'
        ? session.agent.call('ask_expert', { ...asked, idempotency_key: 'other' })
        : session.wait(second.reference, 20);
    const paths = filesOf(session, ending);
    const putBacks = paths.map(cut);
    const { isError, text } = await call();
    expect({ isError, text }).toEqual({
      isError: true,
      text: expect.stringMatching(/^The file \S+ is damaged:/),
    });
    expect(paths).toContain(/^The file (\S+) is damaged/.exec(text)?.[1]);
    for (const putBack of putBacks) putBack();
    expect((await call()).isError).toBeFalsy();
    expect((await session.listed(request.requestId)).messages).toHaveLength(1);
  })(),
);
