import { createRelay } from '@expert-relay/sdk';
import type { Form } from '@expert-relay/sdk/forms';
import { expect } from '@jest/globals';
import { later, type TestCli } from './test-cli.ts';

/** The first line of a text, of at most so many characters: a label has no line breaks. */
const label = (text: string, most: number): string => (text.split('\n')[0] ?? '').slice(0, most).trim();

/** All that an agent can write, each from another text. */
export function saidTexts(textOf: (field: number) => string) {
  const [title, description, option] = [3, 4, 5].map((field) => label(textOf(field), 100)) as [
    string,
    string,
    string,
  ];
  const form: Form = {
    type: 'object',
    properties: {
      choice: { type: 'string', title, description, enum: [option, 'other'] },
      filled: { type: 'string', default: textOf(6).slice(0, 2_000).trim() },
    },
  };
  return {
    question: textOf(0),
    plaintext: textOf(1),
    context: textOf(2),
    title,
    description,
    option,
    form,
    default: form.properties.filled?.default as string,
    agentName: label(textOf(7), 100),
    tag: label(textOf(8), 40),
    message: textOf(9),
    fileName: label(textOf(10), 60),
    reason: textOf(11).slice(0, 500).trim(),
  };
}
type SaidTexts = ReturnType<typeof saidTexts>;

const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, '');

/** Where a text stands, whatever the width of its lines. Where its ends could not be seen it stands in quotation marks, as JSON. */
function positionOf(output: string, text: string): number {
  const shown = withoutSpace(output);
  const plain = shown.indexOf(withoutSpace(text));
  return plain < 0 ? shown.indexOf(withoutSpace(JSON.stringify(text))) : plain;
}

function expectShown(output: string, texts: Readonly<Record<string, string>>): void {
  const missing = Object.entries(texts).filter(([, text]) => positionOf(output, text) < 0);
  expect(missing).toEqual([]);
}

/** Asks with them, lets the expert see and answer, and closes: each command of the expert shows all of it. */
export async function expectAllShown(cli: TestCli, said: SaidTexts): Promise<void> {
  const {
    question,
    plaintext,
    context,
    title,
    description,
    option,
    agentName,
    tag,
    message,
    fileName,
    reason,
  } = said;
  const url = cli.relay.gatewayUrl;
  const agent = createRelay({ url, apiKey: cli.agent.RELAY_API_KEY, agentName });
  const conversation = await agent.ask({
    question,
    plaintext,
    form: said.form,
    tags: [tag],
    messages: [{ role: 'user', content: context }],
  });
  const { refCode } = conversation;
  const env = { ...cli.expert, NO_COLOR: '1' };
  const lines = Object.fromEntries(said.default.split('\n').map((line, at) => [`default, line ${at}`, line]));
  const asked = { question, plaintext, context, agentName, tag, title, description, option, ...lines };

  const shown = await cli.run(['show', refCode], { env });
  expectShown(shown.stdout, asked);
  expectShown((await cli.start(['show', refCode], { env, columns: 60 }).ended).stdout, asked);
  const json = JSON.parse((await cli.run(['show', refCode, '--json'], { env })).stdout);
  const whole = { question, plaintext, agentName, tags: [tag], answerForm: said.form };
  expect(json).toMatchObject({ ...whole, context: [{ content: context }] });

  for (const options of [[], ['--json']]) {
    const listening = cli.start(['listen', refCode, ...options], { env });
    await listening.printed(new RegExp(`${refCode}[\\s\\S]*\\n`));
    const answered = await cli.run(['answer', refCode, 'One moment.'], { env, ...later });
    expect(answered.code).toBe(0);
    expectShown(answered.stdout, { last: options.length === 0 ? question : message });
    const files = [{ name: fileName, mediaType: 'text/plain', bytes: new Uint8Array(3) }];
    await conversation.waitForAnswer({ timeoutMs: 60_000 });
    await conversation.send(message, { files });
    await listening.printed(/file "|"files":\[/);
    listening.kill('SIGTERM');
    const { stdout } = await listening.ended;
    if (options.length === 0) expectShown(stdout, { ...asked, message, fileName });
    else {
      const news = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(news[0]).toMatchObject({ ...whole, context: [{ content: context }] });
      expect(news.findLast(({ type }) => type === 'message')).toMatchObject({
        text: message,
        files: [{ name: fileName }],
      });
    }
    await cli.run(['show', refCode], { env });
  }
  await conversation.close({ reason });
  expectShown((await cli.run(['show', refCode], { env })).stdout, { ...asked, message, fileName, reason });
  expect(JSON.parse((await cli.run(['show', refCode, '--json'], { env })).stdout)).toMatchObject({
    ...whole,
    messages: expect.arrayContaining([expect.objectContaining({ text: message })]),
    closeReason: reason,
  });
  agent.stop();
}
