import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert, type Expert, type ExpertRequest } from '@expert-relay/sdk/expert';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { type Installed, installExamples, nodePackage, type Packages } from './install-examples.ts';
import { type RunningExample, runExample } from './run-example.ts';

/* The properties of docs/adapters.json, for each framework itself with a scripted model, and for a real relay. */

interface Framework {
  readonly name: string;
  /** Whether a tool can run with other arguments than those of the model. */
  readonly canEdit: boolean;
  /** LangChain's middleware leaves out the approved calls of a turn in which one was declined. */
  readonly dropsApproved?: boolean;
  /** Mastra suspends a run at one call after the other. */
  readonly isSequential?: boolean;
}

const aiSdk: Framework = { name: 'ai-sdk', canEdit: true };
const langGraph: Framework = { name: 'langgraph', canEdit: true, dropsApproved: true };
const openAiAgents: Framework = { name: 'openai-agents', canEdit: false };
const mastra: Framework = { name: 'mastra', canEdit: false, isSequential: true };

type Call = Readonly<Record<string, unknown>>;

/** A call of a model, what the expert does about it, and what the model gets. */
interface DecidedCall {
  readonly call: Call;
  readonly action: 'answer' | 'accept' | 'decline';
  readonly comment?: string;
  readonly change?: Call;
  readonly result: string;
}

interface Property {
  readonly name: string;
  readonly turns: readonly (readonly DecidedCall[])[];
  readonly when?: 'timeout' | 'killed';
}

const { properties }: { properties: readonly Property[] } = JSON.parse(
  readFileSync(new URL('../../docs/adapters.json', import.meta.url), 'utf8'),
);
const [core] = properties as [Property];

let relay: Constellation;
let folder: string;

beforeAll(async () => {
  relay = await startConstellation();
  folder = mkdtempSync(join(tmpdir(), 'relay-frameworks-'));
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await relay.stop();
});

interface Setup {
  readonly expert: Expert;
  start(options?: { timeout?: number }): RunningExample;
  /** The requests, when there are this many. */
  asked(count: number): Promise<readonly ExpertRequest[]>;
}

/** An agent whose model makes these calls, those of one turn after the other, and its expert. */
async function setUp(
  { name }: Framework,
  { node, examples }: Installed,
  turns: Property['turns'],
  use: (setup: Setup) => Promise<void>,
): Promise<void> {
  const { consumerKey, providerKey } = await relay.makeTenant();
  const expert = createExpert({ url: relay.gatewayUrl, apiKey: providerKey, root: makeRoot() });
  const started: RunningExample[] = [];
  const env = {
    RELAY_URL: relay.gatewayUrl,
    RELAY_API_KEY: consumerKey,
    AGENT_FOLDER: mkdtempSync(join(folder, `${name}-`)),
    AGENT_SCRIPT: JSON.stringify(turns.map((calls) => calls.map(({ call }) => call))),
  };
  try {
    await use({
      expert,
      start({ timeout = 240_000 } = {}) {
        const example = runExample([node, join(examples, `${name}.mjs`), 'job-7', String(timeout)], env);
        started.push(example);
        return example;
      },
      asked: async (count) =>
        await eventually(`${count} questions`, async () => {
          const listed = await expert.list();
          if (listed.length < count) return undefined;
          return await Promise.all(listed.map(({ requestId }) => expert.request(requestId)));
        }),
    });
  } finally {
    for (const example of started) await example.stop('SIGKILL');
    expert.stop();
  }
}

function questionAbout(call: Call, { canEdit }: Framework): string {
  if ('question' in call) return String(call.question);
  const visible = (text: string) =>
    text.replaceAll(/[\u200b\u202e]/g, (hidden) => `\\u${hidden.charCodeAt(0).toString(16)}`);
  const json = visible(JSON.stringify(call, undefined, 2));
  const path = String(call.path);
  const about = visible(path) === path ? path : visible(JSON.stringify(path));
  const editing = canEdit ? 'It runs with the arguments as you leave them below. ' : '';
  return `May Cleaner run \`remove_logs\` with \`${about}\`?\n\n\`\`\`json\n${json}\n\`\`\`\n\n${editing}The agent gets your comment only if you decline.`;
}

/** Gives the form back as it is prefilled, with what the expert changes: in its fields, or in the arguments as JSON. */
async function decide(request: ExpertRequest, { action, comment = '', change }: DecidedCall): Promise<void> {
  const { form, of = '' } = request.form ?? {};
  if (action === 'answer') return void (await request.answer(comment));
  if (action === 'decline') return void (await request.answer(comment, { decision: { action, of } }));
  const fields = Object.entries(form?.properties ?? {});
  const prefilled = Object.fromEntries(fields.map(([name, field]) => [name, field.default ?? '']));
  const edited =
    change && 'arguments' in prefilled
      ? { arguments: JSON.stringify({ ...JSON.parse(String(prefilled.arguments)), ...change }) }
      : { ...prefilled, ...(change as Record<string, string>) };
  await request.answer(comment, { decision: { action, content: edited, of } });
}

/** The request about a call, among those that are not decided. */
function match(requests: readonly ExpertRequest[], call: Call, framework: Framework): ExpertRequest {
  const question = questionAbout(call, framework);
  expect(requests.map((request) => request.question)).toContain(question);
  const request = requests.find((request) => request.question === question) as ExpertRequest;
  expect(Object.keys(request.form?.form?.properties ?? {}).length > 0).toBe(
    framework.canEdit && !('question' in call),
  );
  return request;
}

const isClosed = async (expert: Expert, { requestId }: ExpertRequest) =>
  (await expert.request(requestId)).status === 'closed';

/** What the tool has printed, and what the model has got, both without an order. */
async function outcomeOf(example: RunningExample) {
  const { code, printed } = await example.ended();
  const lines = printed.trim().split('\n');
  return code === 0
    ? { ran: lines.slice(0, -1).length, got: JSON.parse(lines.at(-1) ?? '').sort() }
    : { code, printed };
}

async function hasProperty(framework: Framework, installed: Installed, { turns, when }: Property) {
  const { canEdit, isSequential, dropsApproved } = framework;
  const made = turns.filter((calls) => canEdit || !calls.some(({ change }) => change));
  await setUp(framework, installed, made, async ({ expert, start, asked }) => {
    let agent = start(when === 'timeout' ? { timeout: 300 } : {});
    if (when === 'timeout') {
      expect(await agent.ended()).toMatchObject({ code: 1, printed: expect.stringContaining("'timeout'") });
      agent = start();
    }
    const decided = new Set<string>();
    for (const calls of made) {
      for (const [index, decision] of calls.entries()) {
        const requests = await asked(decided.size + (isSequential ? 1 : calls.length - index));
        const open = requests.filter(({ requestId }) => !decided.has(requestId));
        const request = match(open, decision.call, framework);
        // Once while it waits for all decisions, and once after it has taken the first one.
        if (when === 'killed') {
          await agent.stop('SIGKILL');
          agent = start();
        }
        await decide(request, decision);
        decided.add(request.requestId);
        if (when === 'killed' && index === 0)
          await eventually('the decision was taken', () => isClosed(expert, request));
      }
    }
    const results = made.flatMap((calls) => {
      const isDropped = dropsApproved && calls.some(({ action }) => action === 'decline');
      return isDropped ? calls.filter(({ action }) => action === 'decline') : calls;
    });
    expect(await outcomeOf(agent)).toEqual({
      ran: results.filter(({ action }) => action === 'accept').length,
      got: results.map(({ result }) => result).sort(),
    });
    expect(await asked(decided.size)).toHaveLength(decided.size);
  });
}

const here: Installed = { node: 'node', examples: 'examples/frameworks' };

describe.each([aiSdk, langGraph, openAiAgents])('$name', (framework) => {
  test.concurrent.each(properties)('$name', (property) => hasProperty(framework, here, property));
});

/** As a project may have them that was not changed for long. */
const oldest: Packages = {
  '@langchain/core': '1.1.0',
  '@langchain/langgraph': '1.0.2',
  '@langchain/langgraph-checkpoint': '1.0.0',
  '@openai/agents': '0.6.0',
  ai: '6.0.0',
  langchain: '1.1.0',
  zod: '4.1.8',
};
/** Those that need a later Node than this repository. The others are its own packages. */
const newest: Packages = { ai: '7.0.173', zod: '4.6.7', [nodePackage]: '22.23.5' };
const withMastra = (version: string): Packages => ({ ...newest, '@mastra/core': version });

const rows = [
  { packages: oldest, frameworks: [aiSdk, langGraph, openAiAgents] },
  ...(process.env.RELAY_TEST_MASTRA === 'true'
    ? [
        { packages: withMastra('1.58.0'), frameworks: [mastra] },
        { packages: withMastra('1.71.0'), frameworks: [aiSdk, mastra] },
      ]
    : [{ packages: newest, frameworks: [aiSdk] }]),
];
const installed = await Promise.all(rows.map(({ packages }) => installExamples(packages)));
const others = rows.flatMap(({ packages, frameworks }, index) =>
  frameworks.map((framework) => ({ framework, packages, installed: installed[index] })),
);

describe.each(others)('$framework.name with $packages', ({ framework, installed }) => {
  const missing = installed && 'missing' in installed ? installed.missing : undefined;
  const each = missing === undefined ? test.concurrent.each : testUnless(missing).each;
  each(framework === mastra ? properties : [core])('$name', (property) =>
    hasProperty(framework, installed as Installed, property),
  );
});
