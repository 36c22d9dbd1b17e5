import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert, type Expert, type ExpertRequest } from '@expert-relay/sdk/expert';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { installMastra } from './install-mastra.ts';
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
  /** Why it cannot be tested. */
  readonly missing?: string | undefined;
}

const tries = process.env.RELAY_TEST_MASTRA === 'true';

const frameworks: readonly Framework[] = [
  { name: 'ai-sdk', canEdit: true },
  { name: 'langgraph', canEdit: true, dropsApproved: true },
  { name: 'openai-agents', canEdit: false },
  {
    name: 'mastra',
    canEdit: false,
    isSequential: true,
    missing: tries ? undefined : 'RELAY_TEST_MASTRA is not "true"',
  },
];

type Call = Readonly<Record<string, unknown>>;

interface DecisionRow {
  readonly action: 'accept' | 'decline';
  readonly comment?: string;
  readonly change?: Call;
}

interface Property {
  readonly name: string;
  readonly calls: readonly Call[];
  readonly decisions: readonly DecisionRow[];
  readonly results?: readonly string[];
  readonly declined?: readonly string[];
  readonly edits?: boolean;
  readonly when?: 'timeout' | 'killed';
}

const { properties }: { properties: readonly Property[] } = JSON.parse(
  readFileSync(new URL('../../docs/adapters.json', import.meta.url), 'utf8'),
);

let relay: Constellation;
let folder: string;
/** Programs find Mastra only where it was installed. */
let mastraFolder: string | undefined;

beforeAll(async () => {
  if (tries) {
    mastraFolder = mkdtempSync(join(await installMastra(), 'example-'));
    cpSync('examples/frameworks', mastraFolder, { recursive: true });
  }
  relay = await startConstellation();
  folder = mkdtempSync(join(tmpdir(), 'relay-frameworks-'));
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  if (mastraFolder) rmSync(mastraFolder, { recursive: true });
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
  turns: readonly (readonly Call[])[],
  use: (setup: Setup) => Promise<void>,
): Promise<void> {
  const { consumerKey, providerKey } = await relay.makeTenant();
  const expert = createExpert({ url: relay.gatewayUrl, apiKey: providerKey, root: makeRoot() });
  const started: RunningExample[] = [];
  const env = {
    RELAY_URL: relay.gatewayUrl,
    RELAY_API_KEY: consumerKey,
    AGENT_FOLDER: mkdtempSync(join(folder, `${name}-`)),
    AGENT_SCRIPT: JSON.stringify(turns),
  };
  try {
    await use({
      expert,
      start({ timeout = 240_000 } = {}) {
        const program = join((name === 'mastra' && mastraFolder) || 'examples/frameworks', `${name}.mjs`);
        const example = runExample(['node', program, 'job-7', String(timeout)], env);
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

const questionAbout = (call: Call, { canEdit }: Framework): string => {
  const json = JSON.stringify(call, undefined, 2).replaceAll(
    /[\u200b\u202e]/g,
    (hidden) => `\\u${hidden.charCodeAt(0).toString(16)}`,
  );
  const editing = canEdit ? 'It runs with the arguments as you leave them below. ' : '';
  return `May Cleaner run \`remove_logs\`?\n\n\`\`\`json\n${json}\n\`\`\`\n\n${editing}The agent gets your comment only if you decline.`;
};

/** Gives the form back as it is prefilled, with what the expert changes: in its fields, or in the arguments as JSON. */
async function decide(request: ExpertRequest, { action, comment = '', change }: DecisionRow): Promise<void> {
  const { form, of = '' } = request.form ?? {};
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
  return requests.find((request) => request.question === question) as ExpertRequest;
}

const isClosed = async (expert: Expert, { requestId }: ExpertRequest) =>
  (await expert.request(requestId)).status === 'closed';

const refusal = (comment: string) => `The expert has declined this call${comment ? `: ${comment}` : '.'}`;

/** What the tool has printed, and what the model has got, both without an order. */
async function outcomeOf(example: RunningExample) {
  const { code, printed } = await example.ended();
  const lines = printed.trim().split('\n');
  return code === 0
    ? { ran: lines.slice(0, -1).length, got: JSON.parse(lines.at(-1) ?? '').sort() }
    : { code, printed };
}

describe.each(frameworks)('$name', (framework) => {
  const { canEdit, isSequential = false, missing } = framework;
  const each = missing === undefined ? test.concurrent.each : testUnless(missing).each;

  each(properties.filter(({ edits }) => canEdit || !edits))(
    '$name',
    async ({ calls, decisions, results = [], declined = [], when }) => {
      await setUp(framework, [calls], async ({ expert, start, asked }) => {
        let agent = start(when === 'timeout' ? { timeout: 300 } : {});
        if (when === 'timeout') {
          expect(await agent.ended()).toMatchObject({
            code: 1,
            printed: expect.stringContaining("'timeout'"),
          });
          agent = start();
        }
        const decided = new Set<string>();
        for (const [index, call] of calls.entries()) {
          const requests = await asked(isSequential ? index + 1 : calls.length);
          const request = match(
            requests.filter(({ requestId }) => !decided.has(requestId)),
            call,
            framework,
          );
          // Once while it waits for all decisions, and once after it has taken the first one.
          if (when === 'killed') {
            await agent.stop('SIGKILL');
            agent = start();
          }
          await decide(request, decisions[index] as DecisionRow);
          decided.add(request.requestId);
          if (when === 'killed' && index === 0)
            await eventually('the decision was taken', () => isClosed(expert, request));
        }
        const ran = framework.dropsApproved && declined.length > 0 ? [] : results;
        const got = [...ran, ...declined.map(refusal)].sort();
        expect(await outcomeOf(agent)).toEqual({ ran: ran.length, got });
        expect(await asked(calls.length)).toHaveLength(calls.length);
      });
    },
  );

  if (canEdit) return;

  each([{ first: { path: '/var/log', days: 1 }, second: { path: '/var/log', days: 30 } }])(
    'an expert who wants $second.days days declines $first.days: the call that the model makes then is another question',
    async ({ first, second }) => {
      await setUp(framework, [[first], [second]], async ({ start, asked }) => {
        const agent = start();
        const request = match(await asked(1), first, framework);
        expect(request.form?.form?.properties).toEqual({});
        await decide(request, { action: 'decline', comment: 'At least 30 days.' });
        await decide(match(await asked(2), second, framework), { action: 'accept' });
        const got = [
          'Removed the logs in /var/log that are older than 30 days.',
          refusal('At least 30 days.'),
        ];
        expect(await outcomeOf(agent)).toEqual({ ran: 1, got });
      });
    },
  );
});
