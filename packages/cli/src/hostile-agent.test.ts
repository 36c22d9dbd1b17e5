import { expensiveTexts, hostileTexts } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { later, useTestCli } from './testing/test-cli.ts';

/* Texts of agents are only shown. They never control the terminal of the expert, or look like lines of the command itself. */

const cli = useTestCli();

/** What a terminal would obey or reorder. */
const controlCharacter = /(?!\n)[\p{Cc}\u200b\u202a-\u202e\u2066-\u2069]/u;
/** What the command writes at the beginning of a line. All texts of agents are behind these words, or indented. */
const ownLine = /^(?:HS-[0-9A-Z]{8} {2}|before: |question {2}|agent {2}|decision {2}| {2,}|$)/;
/** The messages before a question, and the requests of a list, that the relay sends. */
const perRequest = 10;
const perList = 20;

async function post(path: string, body: object): Promise<{ refCode: string; requestId: string }> {
  const answer = await fetch(`${cli.relay.gatewayUrl}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': cli.agent.RELAY_API_KEY ?? '' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path} was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as { refCode: string; requestId: string };
}

const submit = (question: string, texts: readonly string[] = [], answerForm?: string) =>
  post('help', {
    apiKey: cli.agent.RELAY_API_KEY,
    question,
    answerForm,
    plaintext: question,
    messages: texts.map((content) => ({ role: content.slice(0, 64), content })),
  });

const reportCpu = `data:text/javascript,process.on('exit',()=>process.stdout.write('CPU='+process.cpuUsage().user/1e6))`;

/** What the expert sees, without the carriage returns of a terminal. */
async function show(...args: string[]): Promise<{ text: string; cpuSeconds: number }> {
  const env = { ...cli.expert, NO_COLOR: '1', NODE_OPTIONS: `--import=${reportCpu}` };
  const { code, stdout } = await cli.run(['show', ...args], { env, columns: 80 });
  const [, text = '', cpu] = /^(.*)CPU=([\d.]+)/s.exec(stdout.replaceAll('\r\n', '\n')) ?? [];
  expect(code).toBe(0);
  expect(text).not.toMatch(controlCharacter);
  expect(text.split('\n').filter((line) => !ownLine.test(line))).toEqual([]);
  return { text, cpuSeconds: Number(cpu) };
}

test('hostile text in any field of a request, and in lists, is only shown', async () => {
  const refCodes: string[] = [];
  for (let at = 0; at < hostileTexts.length; at += perRequest) {
    const texts = hostileTexts.slice(at, at + perRequest);
    refCodes.push((await submit(texts.join('\n'), texts)).refCode);
  }
  for (const refCode of refCodes) expect((await show(refCode)).text).toContain('before: ');

  for (let at = 0; at < hostileTexts.length; at += perList) {
    for (const text of hostileTexts.slice(at, at + perList)) await submit(text);
    expect((await show()).text.match(/^HS-/gm)).toHaveLength(perList);
  }
});

/** Forms whose labels are the hostile texts, as long as a label may be. */
function* hostileForms() {
  const labels = [...new Set(hostileTexts.map((text) => text.slice(0, 200).trim()))];
  for (let at = 0; at < labels.length; at += perForm) {
    const some = labels.slice(at, at + perForm);
    const fields = some.map((label, index) => {
      const titled = { title: label, description: label, default: label, enum: [label, 'other'] };
      return [`f${index}`, { type: 'string', ...titled }];
    });
    yield {
      form: JSON.stringify({ type: 'object', properties: Object.fromEntries(fields) }),
      count: some.length,
    };
  }
}
const perForm = 10;

test('hostile labels of a form are only shown, also at a terminal that asks for its fields', async () => {
  for (const { form, count } of hostileForms()) {
    const { refCode } = await submit('Which?', [], form);
    const { text } = await show(refCode);
    expect(text.match(/^ {2}f\d: .*\(optional|^ {2}f\d: /gm)).toHaveLength(count);
    const env = { ...cli.expert, NO_COLOR: '1' };
    const asked = cli.start(['answer', refCode, '--plaintext'], { env, ...later, columns: 80 });
    const [before] = await asked.printed(/[\s\S]*Fill it in\?/);
    // The last line is the prompt, before which the terminal moves its cursor.
    const lines = before.replaceAll('\r\n', '\n').split('\n').slice(0, -1);
    expect(lines.filter((line) => controlCharacter.test(line) || !ownLine.test(line))).toEqual([]);
    asked.type('\n');
    expect((await asked.ended).code).toBe(12);
  }
});

test('hostile text in a message is only shown', async () => {
  const { requestId, refCode } = await submit('Well?');
  for (const plaintext of hostileTexts) await post(`message/${requestId}`, { role: 'consumer', plaintext });
  const { text } = await show(refCode);
  expect(text.match(/^agent {2}/gm)).toHaveLength(hostileTexts.length);
});

test('a conversation full of expensive text is shown at once', async () => {
  const texts = Object.values(expensiveTexts);
  const { requestId, refCode } = await submit(texts[0] ?? '', texts.slice(0, perRequest));
  for (const plaintext of texts) await post(`message/${requestId}`, { role: 'consumer', plaintext });
  const { text, cpuSeconds } = await show(refCode);
  expect(text.length).toBeGreaterThan(texts.join('').length);
  // About two seconds, for two megabytes.
  expect(cpuSeconds).toBeLessThan(20);
});
