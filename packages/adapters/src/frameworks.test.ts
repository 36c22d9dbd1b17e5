import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { confidentialQuestion, createRelay, type Relay } from '@expert-relay/sdk';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert, type Expert, type ExpertRequest } from '@expert-relay/sdk/expert';
import { createFileStore } from '@expert-relay/sdk/node';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Annotation, Command, interrupt, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import type { RunState } from '@openai/agents';
import { type ModelMessage, tool } from 'ai';
import * as z from 'zod';
import { answerApprovals, awaitsApproval } from './ai-sdk.ts';
import { askExpert } from './ask-expert.ts';
import { decideToolCalls } from './decide-tool-calls.ts';
import { answerInterrupts } from './langgraph.ts';
import { answerInterruptions } from './openai-agents.ts';
import { DeclinedError, requireApproval } from './require-approval.ts';

/* What the examples of test/examples/frameworks.test.ts do not show. */

let constellation: Constellation;
let relay: Relay;
let expert: Expert;
const folder = mkdtempSync(join(tmpdir(), 'relay-adapters-'));

beforeAll(async () => {
  constellation = await startConstellation();
  const { consumerKey, providerKey } = await constellation.makeTenant();
  const url = constellation.gatewayUrl;
  relay = createRelay({ url, apiKey: consumerKey, store: createFileStore(folder) });
  expert = createExpert({ url, apiKey: providerKey, root: makeRoot() });
});

afterAll(async () => {
  relay.stop();
  expert.stop();
  await constellation.stop();
  rmSync(folder, { recursive: true });
});

/** The open request about a tool. */
const requestAbout = async (name: string): Promise<ExpertRequest> =>
  await eventually(`a question about ${name}`, async () => {
    const listed = await expert.list();
    const one = listed.find(
      ({ question, status }) => question?.includes(`\`${name}\``) && status !== 'closed',
    );
    return one && (await expert.request(one.requestId));
  });

const decline = async (name: string, comment = '') => {
  const request = await requestAbout(name);
  await request.answer(comment, { decision: { action: 'decline', of: request.form?.of ?? '' } });
};

async function accept(name: string, change?: object, comment = ''): Promise<void> {
  const request = await requestAbout(name);
  const { form, of = '' } = request.form ?? {};
  const prefilled = Object.entries(form?.properties ?? {}).map(([field, { default: value = '' }]) => [
    field,
    value,
  ]);
  const content = change ? { arguments: JSON.stringify(change) } : Object.fromEntries(prefilled);
  await request.answer(comment, { decision: { action: 'accept', content, of } });
}

describe('a graph', () => {
  const allowed = { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true };
  const request = (action: string, config: Partial<typeof allowed> = {}) => ({
    action_request: { action, args: { path: '/tmp/a' } },
    config: { ...allowed, ...config },
    description: 'The disk is full.',
  });
  const middleware = (allowedDecisions: readonly string[], name = 'list') => ({
    actionRequests: [{ name, args: { path: '/tmp/a' }, description: 'Careful.' }],
    reviewConfigs: [
      {
        actionName: name,
        allowedDecisions,
        argsSchema: { type: 'object', properties: { path: { type: 'string' } } },
      },
    ],
  });

  /** What the graph gets for what it interrupts with. */
  async function resumeOf(value: unknown, decide: () => Promise<void>): Promise<unknown> {
    const state = Annotation.Root({ got: Annotation<unknown> });
    const graph = new StateGraph(state)
      .addNode('ask', () => ({ got: interrupt(value) }))
      .addEdge(START, 'ask')
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: crypto.randomUUID() } };
    await graph.invoke({}, config);
    const interrupts = (await graph.getState(config)).tasks.flatMap((task) => task.interrupts);
    const answering = answerInterrupts(interrupts, { relay, run: config.configurable.thread_id });
    const [resume] = await Promise.all([answering, decide()]);
    return (await graph.invoke(new Command({ resume }), config)).got;
  }

  const edited = { path: '/tmp/b' };
  const action = (name: string, args: object) => ({ action: name, args });
  test.each<[string, unknown, () => Promise<void>, unknown]>([
    ['accepted', [request('a1')], () => accept('a1'), [{ type: 'accept', args: null }]],
    ['edited', [request('a2')], () => accept('a2', edited), [{ type: 'edit', args: action('a2', edited) }]],
    [
      'declined with a comment',
      [request('a3')],
      () => decline('a3', 'No.'),
      [{ type: 'response', args: 'The expert has declined this call: No.' }],
    ],
    [
      'declined where it takes no response',
      [request('a4', { allow_respond: false })],
      () => decline('a4', 'No.'),
      [{ type: 'ignore', args: null }],
    ],
    [
      'accepted where it only takes edits',
      [request('a5', { allow_accept: false })],
      () => accept('a5'),
      [{ type: 'edit', args: action('a5', { path: '/tmp/a' }) }],
    ],
    ['accepted without a list', request('a6'), () => accept('a6'), [{ type: 'accept', args: null }]],
    [
      'approved by the middleware',
      middleware(['approve', 'edit', 'reject'], 'm1'),
      () => accept('m1'),
      { decisions: [{ type: 'approve' }] },
    ],
    [
      'approved by the middleware, which only takes edits',
      middleware(['edit', 'reject'], 'm3'),
      () => accept('m3'),
      { decisions: [{ type: 'edit', editedAction: { name: 'm3', args: { path: '/tmp/a' } } }] },
    ],
    [
      'rejected by the middleware',
      middleware(['approve', 'reject'], 'm2'),
      () => decline('m2'),
      { decisions: [{ type: 'reject', message: 'The expert has declined this call.' }] },
    ],
  ])('of Agent Inbox or of the middleware goes on when it is %s', async (_what, value, decide, expected) => {
    expect(await resumeOf(value, decide)).toEqual(expected);
  });

  test.each([
    [
      'declined in Agent Inbox',
      [request('n1', { allow_respond: false, allow_ignore: false })],
      () => decline('n1'),
    ],
    ['declined in the middleware', middleware(['approve', 'edit'], 'n2'), () => decline('n2')],
    ['approved in the middleware', middleware(['reject'], 'n3'), () => accept('n3')],
  ])('does not go on when it is %s, and that is not allowed', async (_what, value, decide) => {
    await expect(resumeOf(value, decide)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('that is a text is answered in words', async () => {
    const answer = async () => {
      const listed = await eventually('the question', async () =>
        (await expert.list()).find(({ question }) => question === 'Which region?'),
      );
      await (await expert.request(listed.requestId)).answer('eu');
    };
    expect(await resumeOf('Which region?', answer)).toBe('eu');
  });

  test('shows its description, and fields for a schema, and no form where it takes no edits', async () => {
    const shown = async (name: string, value: unknown) => {
      let seen: ExpertRequest | undefined;
      await resumeOf(value, async () => {
        seen = await requestAbout(name);
        await accept(name);
      });
      return seen;
    };
    const withSchema = await shown('s1', middleware(['approve', 'edit', 'reject'], 's1'));
    expect(withSchema?.question).toContain('\n\n> Careful.\n\n');
    expect(withSchema?.form?.form?.properties).toEqual({ path: { type: 'string', default: '/tmp/a' } });
    const fixed = await shown('s2', [request('s2', { allow_edit: false })]);
    expect(fixed?.form?.form?.properties).toEqual({});
  });

  test.each([
    ['a number', 7],
    ['a request for words alone', [request('w', { allow_accept: false, allow_edit: false })]],
    ['nothing', []],
  ])('with another interrupt is not answered: %s', async (_what, value) => {
    await expect(answerInterrupts([{ id: '1', value }], { relay, run: 'x' })).rejects.toThrow(/relay\.ask/);
  });
});

describe('the AI SDK', () => {
  const call = {
    type: 'tool-call',
    toolCallId: 'call_0',
    toolName: 'wipe',
    input: { path: '/tmp/a' },
  } as const;
  const turn = (approvalId: string, extra: object = {}): ModelMessage[] => [
    { role: 'user', content: 'Wipe it.' },
    {
      role: 'assistant',
      content: [call, { type: 'tool-approval-request', approvalId, toolCallId: 'call_0', ...extra }],
    },
  ];
  const tools = { wipe: tool({ inputSchema: z.object({ path: z.string() }), needsApproval: true }) };

  test('asks again about an equal call of a later turn whose id a model has repeated', async () => {
    const options = { relay, run: 'repeated', tools };
    const [first] = await Promise.all([answerApprovals(turn('one'), options), accept('wipe')]);
    expect(awaitsApproval(first)).toBe(false);
    const later = [...first, ...turn('two')];
    const [second] = await Promise.all([answerApprovals(later, options), decline('wipe')]);
    expect(second.at(-1)).toMatchObject({ content: [{ approvalId: 'two', approved: false }] });
  });

  test.each([
    ['an approval', undefined],
    ['an edit', { path: '/tmp/b' }],
  ])('has no place for the comment of %s, as the question says', async (what, change) => {
    // Without a schema, the expert edits JSON.
    const options = { relay, run: `comment of ${what}`, tools: change ? {} : tools };
    const answering = answerApprovals(turn(what), options);
    const [messages] = await Promise.all([answering, accept('wipe', change, 'A secret for Ada.')]);
    expect(messages.at(-1)).toEqual({
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: what, approved: true }],
    });
    expect(JSON.stringify(messages)).not.toContain('Ada');
  });

  /** One step of a model: calls with an id, of which some wait. */
  const step = (...calls: readonly [id: string, path: string, approvalId?: string][]): ModelMessage => ({
    role: 'assistant',
    content: calls.flatMap(([toolCallId, path, approvalId]) => [
      { ...call, toolCallId, input: { path } },
      ...(approvalId ? [{ type: 'tool-approval-request', approvalId, toolCallId } as const] : []),
    ]),
  });
  const ran = (toolCallId: string): ModelMessage => ({
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId, toolName: 'wipe', output: { type: 'text', value: 'Wiped.' } },
    ],
  });

  test('shows and edits the call that runs, where an earlier one has the same id', async () => {
    const messages = [step(['call_0', '/tmp/a']), ran('call_0'), step(['call_0', '/srv', 'repeated'])];
    const answering = answerApprovals(messages, { relay, run: 'same id' });
    expect((await requestAbout('wipe')).question).toContain('"/srv"');
    const [answered] = await Promise.all([answering, accept('wipe', { path: '/srv/b' })]);
    expect(answered.slice(0, 2)).toEqual(messages.slice(0, 2));
    expect(answered[2]).toMatchObject({ content: [{ input: { path: '/srv/b' } }, {}] });
  });

  test.each<[string, ModelMessage[]]>([
    ['two calls of a step', [step(['call_0', '/tmp/a'], ['call_0', '/srv', 'twice'])]],
    ['two calls that wait', [step(['call_0', '/tmp/a', 'one']), step(['call_0', '/srv', 'two'])]],
  ])('asks nothing where %s have the same id', async (_what, messages) => {
    await expect(answerApprovals(messages, { relay, run: 'unclear' })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('call_0'),
    });
  });

  test('answers nothing of a turn that the user has gone on from', async () => {
    const messages = [...turn('old'), { role: 'user', content: 'Never mind.' } as const];
    expect(awaitsApproval(messages)).toBe(false);
    expect(await answerApprovals(messages, { relay, run: 'old' })).toEqual(messages);
  });

  test.each([
    ['signed', { signature: 'x' }],
    ['transformed', { inputSchemaInput: { path: 'a' } }],
  ])('has no fields for arguments that are %s', async (what, extra) => {
    const answering = answerApprovals(turn(what, extra), { relay, run: what, tools });
    expect((await requestAbout('wipe')).form?.form?.properties).toEqual({});
    await Promise.all([answering, accept('wipe')]);
  });
});

describe('OpenAI Agents', () => {
  const hosted = (text: string) => ({
    name: 'pay',
    arguments: undefined,
    rawItem: {
      type: 'hosted_tool_call',
      id: 'm',
      name: 'pay',
      status: 'in_progress',
      providerData: {
        type: 'mcp_approval_request',
        id: 'm',
        name: 'pay',
        arguments: text,
        server_label: 'bank',
      },
    },
  });
  const fn = (name: string, text: string) => ({
    name,
    arguments: text,
    rawItem: { type: 'function_call', callId: name, name, arguments: text },
  });
  const of = (type: string, more: object) => ({
    name: type,
    rawItem: { type, callId: type, status: 'completed', ...more },
  });

  test.each<[string, string, object, string]>([
    ['a shell', 'shell', of('shell', { action: { commands: ['rm -rf /'] } }), '"rm -rf /"'],
    ['a patch', 'patch', of('patch', { operation: { path: '/etc/hosts' } }), '"/etc/hosts"'],
    ['a computer', 'computer', of('computer', { actions: [{ type: 'keypress' }] }), '"keypress"'],
    ['a hosted MCP server', 'bank.pay', hosted('{"account": "DE1"}'), '"account": "DE1"'],
    // Another program reads the text of a hosted call.
    [
      'a number that JavaScript reads as another one',
      'bank.pay',
      hosted('{"a": 9007199254740993}'),
      '9007199254740993',
    ],
    ['two members of one name', 'bank.pay', hosted('{"a": 17, "a": 18}'), ' 17, '],
    ['no JSON', 'broken', fn('broken', '{"path": '), '"{\\"path\\": "'],
  ])('shows all that would run: %s', async (what, name, item, shown) => {
    const rejected: unknown[] = [];
    const state = {
      getInterruptions: () => [item],
      approve: () => {
        throw new Error('It was not approved.');
      },
      reject: (one: unknown, { message }: { message: string }) => rejected.push([one, message]),
      // biome-ignore lint/suspicious/noExplicitAny: a state of the framework, as far as the adapter uses it
    } as unknown as RunState<any, any>;
    const answering = answerInterruptions(state, { relay, run: what });
    expect((await requestAbout(name)).question).toContain(shown);
    await Promise.all([answering, decline(name, 'No.')]);
    expect(rejected).toEqual([[item, 'The expert has declined this call: No.']]);
  });
});

describe('an expert', () => {
  const deciding = (name: string, options: object = {}) =>
    decideToolCalls([{ id: '1', tool: name, arguments: { path: '/tmp/a' } }], {
      relay,
      run: name,
      ...options,
    });

  test('whose arguments are not JSON is asked again, and nothing runs meanwhile', async () => {
    const waiting = deciding('typo');
    const first = await requestAbout('typo');
    const of = first.form?.of ?? '';
    await first.answer('', { decision: { action: 'accept', content: { arguments: '{path: b}' }, of } });
    const second = await eventually('the form again', async () => {
      const request = await expert.request(first.requestId);
      return request.form && request.form.of !== of ? request : undefined;
    });
    for await (const { from, text } of second.messages) {
      if (from === 'expert') continue;
      expect(text).toMatch(/^The arguments are not a JSON object, or .* Nothing has run\.$/);
      break;
    }
    const content = { arguments: '{"path": "/tmp/b"}' };
    await second.answer('', { decision: { action: 'accept', content, of: second.form?.of ?? '' } });
    expect(await waiting).toEqual([{ action: 'edit', arguments: { path: '/tmp/b' }, comment: '' }]);
  });

  test('who writes in words decides nothing', async () => {
    const replies: string[] = [];
    const waiting = deciding('words', { onReply: ({ text }: { text: string }) => replies.push(text) });
    await (await requestAbout('words')).answer('Yes, approved.');
    await eventually('the reply', () => replies.length > 0);
    await decline('words');
    expect(await waiting).toEqual([{ action: 'decline', comment: '' }]);
    expect(replies).toEqual(['Yes, approved.']);
  });

  test('who closes the conversation decides nothing, and ends the waiting for the other calls', async () => {
    const calls = ['closed', 'other'].map((name) => ({ id: name, tool: name, arguments: {} }));
    const waiting = decideToolCalls(calls, { relay, run: 'both' });
    const [closed, other] = [await requestAbout('closed'), await requestAbout('other')];
    await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'closed' }), closed.close()]);
    expect((await expert.request(other.requestId)).status).toBe('pending');
  });

  test('is not waited for after an abort', async () => {
    const stop = new AbortController();
    const waiting = deciding('aborted', { signal: stop.signal });
    await requestAbout('aborted');
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    await expect(deciding('never', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'aborted',
    });
  });

  test('is not asked about two calls with one id, of which one decision would count for both', async () => {
    const calls = ['/tmp/a', '/srv'].map((path) => ({ id: '1', tool: 'same', arguments: { path } }));
    await expect(decideToolCalls(calls, { relay, run: 'same' })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('the id 1'),
    });
  });

  test('is not asked with a misspelled option', async () => {
    await expect(deciding('misspelled', { confidental: true })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });
});

describe('a model that is stuck', () => {
  const asking = (id: string, options: object = {}) =>
    askExpert(`Which \`${id}\`?`, { relay, run: 'stuck', id, ...options });
  const isOpen = async (id: string) =>
    (await expert.list()).some(
      ({ question, status }) => question === `Which \`${id}\`?` && status === 'pending',
    );

  test('gets the words of the expert, and after a restart the same ones without another question', async () => {
    const [answer] = await Promise.all([
      asking('region'),
      requestAbout('region').then((request) => request.answer('The eu one.')),
    ]);
    expect(answer).toBe('The eu one.');
    expect(await asking('region')).toBe(answer);
  });

  test('gets no answer in time, and the question is closed for later processes, too', async () => {
    expect(await asking('late', { timeoutMs: 1 })).toMatch(/^No answer: /);
    expect(await isOpen('late')).toBe(false);
    expect(await asking('late')).toMatch(/^No answer: /);
  });

  test('gets no answer from an expert who closes the question', async () => {
    const [answer] = await Promise.all([
      asking('closed'),
      requestAbout('closed').then((request) => request.close()),
    ]);
    expect(answer).toMatch(/^No answer: /);
  });

  test('keeps its question after an abort', async () => {
    const stop = new AbortController();
    const waiting = asking('kept', { signal: stop.signal });
    await requestAbout('kept');
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    expect(await isOpen('kept')).toBe(true);
  });

  test('asks nothing without the id of the call', async () => {
    await expect(asking('')).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

test('of a confidential call the relay can read nothing', async () => {
  const call = { id: '1', tool: 'concealed', arguments: { path: '/concealed' } };
  const decided = decideToolCalls([call], { relay, run: 'confidential', confidential: true });
  const listed = await eventually('the question', async () =>
    (await expert.list()).find(({ question }) => question === confidentialQuestion),
  );
  expect(JSON.stringify(listed)).not.toContain('concealed');
  const request = await expert.request(listed.requestId);
  await request.receive();
  expect(request.received[0]?.text).toMatch(/^May the agent run `concealed` with `\/concealed`\?\n/);
  await request.answer('', { decision: { action: 'decline', of: request.form?.of ?? '' } });
  expect(await decided).toEqual([{ action: 'decline', comment: '' }]);
});

describe('a function that requires an approval', () => {
  const made: object[] = [];
  const guarded = (tool: string, options: object = {}) =>
    requireApproval(
      (args: { path: string }) => {
        made.push(args);
        return args.path;
      },
      { relay, tool, ...options },
    );

  test('runs with the arguments that the expert has approved or edited, and not when the expert declines', async () => {
    const wipe = guarded('guarded');
    const [approved] = await Promise.all([wipe({ path: '/a' }), accept('guarded')]);
    const [edited] = await Promise.all([wipe({ path: '/a' }), accept('guarded', { path: '/b' })]);
    expect([approved, edited]).toEqual(['/a', '/b']);
    const declined = expect(wipe({ path: '/a' })).rejects.toMatchObject({
      constructor: DeclinedError,
      comment: 'No.',
      message: 'The expert has declined this call: No.',
    });
    await Promise.all([declined, decline('guarded', 'No.')]);
    expect(made).toEqual([{ path: '/a' }, { path: '/b' }]);
  });

  test('asks once about a call of one name, also after a restart', async () => {
    const wipe = guarded('named', { once: ({ path }: { path: string }) => `wipe ${path}` });
    const [first] = await Promise.all([wipe({ path: '/c' }), accept('named')]);
    expect(await wipe({ path: '/c' })).toBe(first);
  });

  test('leaves no question open that has no name', async () => {
    const late = guarded('unnamed', { timeoutMs: 300 })({ path: '/d' });
    await expect(late).rejects.toMatchObject({ code: 'timeout' });
    expect(
      (await expert.list()).filter(
        ({ question, status }) => question?.includes('`unnamed`') && status === 'pending',
      ),
    ).toEqual([]);
  });
});
