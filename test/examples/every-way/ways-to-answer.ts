import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Constellation } from '@expert-relay/constellation';
import { RelayError } from '@expert-relay/sdk';
import { makeRoot, openExpertKeys } from '@expert-relay/sdk/crypto';
import { createExpert, type Deciding, type Expert } from '@expert-relay/sdk/expert';
import { signInDev } from '@expert-relay/testkit';
import { later } from '../../../packages/cli/src/testing/test-cli.ts';
import { type RunningExample, runExample } from '../run-example.ts';
import { file, type Way } from './ways.ts';
import type { Party, Surroundings } from './ways-to-ask.ts';

/** An expert with a user of its own. */
interface Answering extends Party {
  /** Answers at once. After a refusal it does what that says. */
  answer(refCode: string, way: Way): Promise<void>;
  /** What the agent gets. By default `Because.`, or the content of the form. */
  readonly expected?: (way: Way) => unknown;
}

type Opening = () => Promise<Answering>;

const because = 'Because.';

export const waysToAnswer = (relay: Constellation, { url, commands, python, stops }: Surroundings) => {
  async function answerBySdk(expert: Expert, refCode: string, { content }: Way): Promise<void> {
    const request = await expert.request(refCode);
    const decision: Deciding | undefined = content && { action: 'accept', content };
    const answer = (plaintext: boolean) => request.answer(because, { decision, plaintext });
    await answer(false).catch(async (error: unknown) => {
      if (!(error instanceof RelayError)) throw error;
      const { code, message } = error;
      await request.discard();
      const isPlain = message.includes('plaintext');
      if (!['newer_message', 'invalid_input'].includes(code)) throw error;
      if (!isPlain) await request.receive();
      await answer(isPlain);
    });
  }

  async function bySdk(): Promise<Answering> {
    const tenant = await relay.makeTenant();
    const root = makeRoot();
    const expert = createExpert({ url, apiKey: tenant.providerKey, root });
    stops.push(expert.stop);
    const answer = (refCode: string, way: Way) => answerBySdk(expert, refCode, way);
    return { ...tenant, fingerprint: await fingerprintOf(root), answer };
  }

  async function bySession(): Promise<Answering> {
    const cookie = await signInDev(url, `ways-${randomUUID().slice(0, 8)}`);
    const made = await fetch(`${url}/api/keys`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'agent', kind: 'consumer' }),
    });
    const { key } = (await made.json()) as { key: string };
    const withCookie: typeof fetch = (input, init = {}) => {
      const headers = new Headers(init.headers);
      if (init.credentials === 'same-origin') headers.set('cookie', cookie);
      return fetch(input, { ...init, headers });
    };
    const root = makeRoot();
    const options = { session: true, url, hubUrl: relay.hubUrl, root, fetch: withCookie } as const;
    const expert = createExpert(options);
    stops.push(expert.stop);
    const answer = (refCode: string, way: Way) => answerBySdk(expert, refCode, way);
    return { consumerKey: key, providerKey: '', fingerprint: await fingerprintOf(root), answer };
  }

  async function byCommand(): Promise<Answering> {
    const tenant = await relay.makeTenant();
    const env = {
      RELAY_URL: url,
      RELAY_API_KEY: tenant.providerKey,
      RELAY_CONFIG_DIR: join(commands.folder, randomUUID()),
    };
    const made = await commands.run(['keys', 'make', '--json'], { env });
    async function answer(refCode: string, { content, name }: Way): Promise<void> {
      const values = Object.entries(content ?? {}).flatMap(([field, value]) => [
        '--set',
        `${field}=${value}`,
      ]);
      const words = content ? [...values, ...(values.length ? [] : ['--approve'])] : [because];
      await commands.run(['show', refCode], { env });
      const refusals: string[] = [];
      for (;;) {
        const { code, stderr } = await commands.run(['answer', refCode, ...words], { env, ...later });
        if (code === 0) return;
        const refusal = stderr.replace(/\s+/g, ' ');
        const [, command] = /relay (show|pickup) HS-/.exec(refusal) ?? [];
        if ((!command && !refusal.includes('--plaintext')) || refusals.push(refusal) > 3)
          throw new Error(`${name} is not answered: ${refusal} Before: ${refusals.join()}`);
        // A request is picked up at least five seconds after it was shown.
        if (command) await commands.run([command, refCode], { env, clockAheadMs: 10_000 });
        else words.push('--plaintext');
      }
    }
    return { ...tenant, fingerprint: JSON.parse(made.stdout).fingerprint, answer };
  }

  async function byPython(): Promise<Answering> {
    const tenant = await relay.makeTenant();
    const root = makeRoot();
    async function answer(refCode: string, { content }: Way): Promise<void> {
      const args = [refCode, Buffer.from(root).toString('base64'), JSON.stringify(content ?? null)];
      const env = { RELAY_URL: url, RELAY_API_KEY: tenant.providerKey };
      const { code, printed } = await python('answer.py', args, env).ended();
      if (code !== 0) throw new Error(printed);
    }
    return { ...tenant, fingerprint: await fingerprintOf(root), answer };
  }

  async function byHttp(): Promise<Answering> {
    const tenant = await relay.makeTenant();
    const headers = { 'x-api-key': tenant.providerKey, 'content-type': 'application/json' };
    async function answer(refCode: string, { isPlain }: Way): Promise<void> {
      const found = await fetch(`${url}/api/v1/requests/by-ref/${refCode}`, { headers });
      const { requestId } = (await found.json()) as { requestId: string };
      const body = JSON.stringify({ role: 'provider', plaintext: because });
      const sent = await fetch(`${url}/api/v1/message/${requestId}`, { method: 'POST', headers, body });
      const { warning } = (await sent.json()) as { warning?: string };
      if (sent.status !== 201 || warning !== (isPlain ? undefined : 'agent_refuses_plaintext'))
        throw new Error(`It is ${sent.status}, with the warning ${warning}.`);
    }
    // The expert was warned, and the agent ends.
    const expected = ({ isPlain }: Way) => (isPlain ? because : 'unprotected');
    return { ...tenant, fingerprint: '', answer, expected };
  }

  async function startBot(start: (env: Record<string, string>) => RunningExample) {
    const tenant = await relay.makeTenant();
    const bot = start({
      RELAY_URL: url,
      RELAY_API_KEY: tenant.providerKey,
      BOT_FOLDER: join(commands.folder, randomUUID()),
    });
    stops.push(() => bot.stop());
    const [, fingerprint = ''] = await bot.untilPrinted(/I am ([\d ]+)\./);
    return { ...tenant, fingerprint, bot };
  }

  /** The bots that answer everything with what they have read. */
  const byBot =
    (start: (env: Record<string, string>) => RunningExample): Opening =>
    async () => {
      const { bot: _, ...party } = await startBot(start);
      const expected = ({ question, hasFile, form }: Way) => {
        const read = hasFile ? ` I have read ${file.name}.` : '';
        const text = `You asked: ${question}${read} I am only an example, but I would wait.`;
        return form ? `words: ${text}` : text;
      };
      return { ...party, expected, answer: async () => {} };
    };

  /** The bots that approve by a rule. What they leave, a person answers with other keys. */
  const byApprovalBot =
    (start: (env: Record<string, string>) => RunningExample): Opening =>
    async () => {
      const { bot, ...party } = await startBot(start);
      const person = createExpert({ url, apiKey: party.providerKey, root: makeRoot() });
      stops.push(person.stop);
      async function answer(refCode: string, way: Way): Promise<void> {
        const [, does] = await bot.untilPrinted(new RegExp(`${refCode} is (.*)\\.`));
        const isOfRule = !way.isConfidential && !way.hasFile && way.name.startsWith('approval');
        if (does !== (isOfRule ? 'approved' : 'left to a person')) throw new Error(`${way.name} is ${does}.`);
        if (!isOfRule) await answerBySdk(person, refCode, way);
      }
      return { ...party, answer };
    };

  const example = (name: string) => (env: Record<string, string>) =>
    runExample(['node', `examples/${name}.mjs`], env);
  const pythonExample = (name: string) => (env: Record<string, string>) =>
    python(`../../../clients/python/examples/${name}.py`, [env.BOT_FOLDER ?? ''], env);

  return {
    'the SDK with a key': bySdk,
    'the SDK with a session': bySession,
    'relay answer': byCommand,
    Python: byPython,
    'bare HTTP': byHttp,
    'examples/expert-bot.mjs': byBot(example('expert-bot')),
    'examples/approval-bot.mjs': byApprovalBot(example('approval-bot')),
    'expert_bot.py': byBot(pythonExample('expert_bot')),
    'approval_bot.py': byApprovalBot(pythonExample('approval_bot')),
  } satisfies Record<string, Opening>;
};

const fingerprintOf = async (root: Uint8Array) => (await openExpertKeys(root)).fingerprint;

export const expectedOf = ({ expected }: Answering, way: Way): unknown =>
  expected ? expected(way) : (way.content ?? because);
export type Answered = keyof ReturnType<typeof waysToAnswer>;
export type { Answering };
