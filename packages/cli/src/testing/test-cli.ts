import {
  type Constellation,
  type ConstellationOptions,
  startConstellation,
} from '@expert-relay/constellation';
import { createRelay, type Relay } from '@expert-relay/sdk';
import { type LyingRelay, startLyingRelay } from '@expert-relay/testkit';
import { afterAll, beforeAll } from '@jest/globals';
import type { BundleOptions } from './build-cli.ts';
import { type CommandRunner, createCommandRunner } from './command-runner.ts';
import type { Ended } from './command-server.ts';

type Environment = Readonly<Record<string, string>>;

/** A relay, and the command line with the environment variables of an agent and an expert. */
export interface TestCli extends CommandRunner {
  readonly relay: Constellation;
  readonly agent: Environment;
  readonly expert: Environment;
  asAgent(...args: string[]): Promise<Ended>;
  asExpert(...args: string[]): Promise<Ended>;
  /** Shows a request to the expert, and answers it more than five seconds later with these words. */
  answer(refCode: string, ...words: string[]): Promise<Ended>;
  /** Shows a request to the expert, and picks it up more than five seconds later. */
  pickUp(refCode: string, ...options: string[]): Promise<Ended>;
  /** The same as `answer` with the environment of another expert. */
  answerAs(env: Environment, ...words: string[]): Promise<Ended>;
  /** Asks without waiting, as the agent. Returns the reference code. */
  ask(question: string, ...options: string[]): Promise<string>;
  /** A proxy in front of the relay, which can change all calls and answers. It stops with this object. */
  startLyingRelay(): Promise<LyingRelay>;
}

interface TestCliOptions {
  /** Settings of the relay. */
  relay?: ConstellationOptions;
  bundle?: BundleOptions;
}

export async function openTestCli(options: TestCliOptions = {}): Promise<TestCli> {
  const relay = await startConstellation(options.relay);
  const runner = await createCommandRunner(options.bundle);
  const { consumerKey, providerKey } = await relay.makeTenant();
  const { folder, run, start } = runner;
  const RELAY_URL = relay.gatewayUrl;
  const agent = { RELAY_URL, RELAY_API_KEY: consumerKey, RELAY_CONFIG_DIR: `${folder}/agent` };
  const expert = { RELAY_URL, RELAY_API_KEY: providerKey, RELAY_CONFIG_DIR: `${folder}/expert` };
  const asAgent = (...args: string[]) => run(args, { env: agent });
  const asExpert = (...args: string[]) => run(args, { env: expert });
  async function answerAs(env: Environment, ...words: string[]): Promise<Ended> {
    await run(['show', words[0] ?? ''], { env });
    return await run(['answer', ...words], { env, ...later });
  }
  const liars: LyingRelay[] = [];
  return {
    ...runner,
    relay,
    agent,
    expert,
    asAgent,
    asExpert,
    answer: (...words) => answerAs(expert, ...words),
    answerAs,
    async pickUp(...words) {
      await asExpert('show', words[0]);
      // A process, whose whole clock is ahead: what it shows was in turn read by a command with `later`.
      return await start(['pickup', ...words], { env: expert, clockAheadMs: 10_000 }).ended;
    },
    async ask(question, ...own) {
      const { code, stdout, stderr } = await asAgent('ask', question, '--no-wait', ...own);
      if (code !== 0 || !/^HS-[0-9A-Z]{8}\n$/.test(stdout))
        throw new Error(`relay ask has printed ${stdout}${stderr}`);
      return stdout.trim();
    },
    async startLyingRelay() {
      const liar = await startLyingRelay(relay);
      liars.push(liar);
      return liar;
    },
    async stop() {
      await runner.stop();
      for (const liar of liars) await liar.stop();
      await relay.stop();
    },
  };
}

/** For a command with this option, what others have printed was read by now. */
export const later = { clockAheadMs: 60_000 };

/** After this time a command reads a request again before it sends an answer. */
export const readAgainMs = 1_100;

/** Opens a test CLI before the tests of a file, and stops it after them. Its members can be used once the tests run. */
export function useTestCli(options: TestCliOptions = {}): TestCli {
  const cli = {} as TestCli;
  beforeAll(async () => void Object.assign(cli, await openTestCli(options)));
  afterAll(() => cli.stop());
  return cli;
}

/** Makes the keys of the expert before the tests of a file, and a client of the agent. Call the result once the tests run. */
export function useAgent(cli: TestCli): () => Relay {
  let relay: Relay;
  beforeAll(async () => {
    const { code, stderr } = await cli.asExpert('keys', 'make', '--json');
    if (code !== 0) throw new Error(`relay keys make has printed ${stderr}`);
    relay = createRelay({ url: cli.relay.gatewayUrl, apiKey: cli.agent.RELAY_API_KEY ?? '' });
  });
  afterAll(() => relay.stop());
  return () => relay;
}
