import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { makeRoot, openExpertKeys } from '@expert-relay/sdk/crypto';
import { createExpert, type Expert, type ExpertRequest } from '@expert-relay/sdk/expert';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { testUnless } from '../../../scripts/testing/test-unless.ts';
import { installPackages } from '../install-examples.ts';
import { runExample } from '../run-example.ts';
import { runCodex } from './run-codex.ts';
import { startMessagesApi, type ToolUse } from './scripted-messages.ts';
import { startResponsesApi } from './scripted-responses.ts';
import type { ScriptedModel } from './serve-model.ts';

/* `relay hook` in Claude Code and Codex, with scripted models: RELAY_TEST_CODING_AGENTS=true npm run test:all -- coding-agents */

const isOn = process.env.RELAY_TEST_CODING_AGENTS === 'true';
const platform = `${process.platform}-${process.arch}`;
const [claudePackage, codexPackage] = [`@anthropic-ai/claude-code-${platform}`, '@openai/codex'];
const installed = isOn
  ? await installPackages({ [claudePackage]: '2.1.332', [codexPackage]: '0.171.0' })
  : { missing: 'RELAY_TEST_CODING_AGENTS is not "true": Claude Code and Codex take 900 MB' };
const testInstalled = testUnless('missing' in installed ? installed.missing : undefined);
const programIn = (path: string) => join('folder' in installed ? installed.folder : '', 'node_modules', path);

let relay: Constellation;
let folder: string;
beforeAll(async () => {
  if (!isOn) return;
  relay = await startConstellation();
  folder = mkdtempSync(join(tmpdir(), 'relay-coding-agents-'));
});
afterAll(async () => {
  if (!isOn) return;
  rmSync(folder, { recursive: true, force: true });
  await relay.stop();
});

/** What the expert does about one question. */
interface Decided {
  readonly action: 'accept' | 'decline';
  readonly comment?: string;
  readonly content?: Readonly<Record<string, string | boolean>>;
}

/** Decides about each question, the oldest first. */
async function decideAll(expert: Expert, decisions: readonly Decided[]): Promise<void> {
  const asked: string[] = [];
  for (const { action, comment = '', content = {} } of decisions) {
    const request = await eventually('a question', async (): Promise<ExpertRequest | undefined> => {
      const listed = await expert.list();
      const next = listed.find(({ requestId }) => !asked.includes(requestId));
      return next && (await expert.request(next.requestId));
    });
    asked.push(request.requestId);
    const { form, of = '' } = request.form ?? {};
    const defaults = Object.entries(form?.properties ?? {}).flatMap(([name, field]) =>
      field.default === undefined ? [] : [[name, field.default] as const],
    );
    const filled = { ...Object.fromEntries(defaults), ...content };
    await request.answer(comment, {
      decision: action === 'accept' ? { action, content: filled, of } : { action, of },
    });
  }
}

interface Surroundings {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Walk {
  readonly model: ScriptedModel;
  /** The words of `relay hook install`. */
  readonly install: readonly string[];
  readonly decisions: readonly Decided[];
  run(surroundings: Surroundings): Promise<unknown>;
}

/** Installs the hook, runs the program with it, and decides about each question. */
async function walk({ model, install, decisions, run }: Walk) {
  const { consumerKey, providerKey } = await relay.makeTenant();
  const root = makeRoot();
  const expert = createExpert({ url: relay.gatewayUrl, apiKey: providerKey, root });
  const home = mkdtempSync(join(folder, 'home-'));
  const project = join(home, 'project');
  mkdirSync(project);
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: home, RELAY_URL: relay.gatewayUrl, RELAY_API_KEY: consumerKey };
  const { fingerprint: RELAY_EXPERT } = await openExpertKeys(root);
  const cli = fileURLToPath(new URL('../../../packages/cli/bin/relay.mjs', import.meta.url));
  try {
    const installing = ['node', cli, 'hook', 'install', ...install, '--user', '--yes'] as const;
    expect(await runExample(installing, { ...env, RELAY_EXPERT }).ended()).toMatchObject({ code: 0 });
    // The settings of Claude Code name the expert from here on.
    const named = install[0] === 'claude' ? env : { ...env, RELAY_EXPERT };
    const [ended] = await Promise.all([run({ home, project, env: named }), decideAll(expert, decisions)]);
    const listed = await expert.list();
    return {
      ended,
      results: model.results(),
      questions: listed.map(({ question = '' }) => question.split('\n', 1)[0]).sort(),
      statuses: new Set(listed.map(({ status }) => status)),
      has: (name: string) => existsSync(join(project, name)),
    };
  } finally {
    await model.stop();
    expert.stop();
  }
}

interface ClaudeWalk {
  /** Further words of `relay hook install claude`. */
  readonly install?: readonly string[];
  /** Further words of `claude`. */
  readonly words?: readonly string[];
  readonly uses: readonly ToolUse[];
  readonly decisions: readonly Decided[];
}

/** With a host, which could ask a user: without one, Claude Code offers its model no questions to the user. */
const asHost = ['--permission-prompt-tool', 'stdio', '--input-format', 'stream-json'];

async function walkClaude({ install = [], words = asHost, uses, decisions }: ClaudeWalk) {
  const model = await startMessagesApi(uses);
  return await walk({
    model,
    install: ['claude', ...install],
    decisions,
    async run({ project: cwd, env }) {
      const args = ['-p', 'Go on.', '--output-format', 'stream-json', '--verbose', ...words];
      const own = {
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'sk-ant-scripted',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      };
      const claude = spawn(programIn(`${claudePackage}/claude`), args, { cwd, env: { ...env, ...own } });
      claude.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('"type":"result"')) claude.stdin.end();
      });
      const message = { type: 'user', message: { role: 'user', content: 'Go on.' } };
      if (words === asHost) claude.stdin.write(`${JSON.stringify(message)}\n`);
      else claude.stdin.end();
      const [code] = await once(claude, 'close');
      return code;
    },
  });
}

const touch = (name: string): ToolUse => ({
  name: 'Bash',
  input: { command: `touch ${name}`, description: 'Make a file' },
});

describe('Claude Code', () => {
  testInstalled('runs what the expert approves', async () => {
    const { ended, has, questions, statuses } = await walkClaude({
      uses: [touch('a')],
      decisions: [{ action: 'accept' }],
    });
    expect({ ended, has: has('a'), questions }).toEqual({
      ended: 0,
      has: true,
      questions: ['Run `touch a`?'],
    });
    expect(statuses).toEqual(new Set(['closed']));
  });

  testInstalled('does not run what the expert declines, and its model gets the comment', async () => {
    const { has, results } = await walkClaude({
      uses: [touch('a')],
      decisions: [{ action: 'decline', comment: 'Not on a Friday.' }],
    });
    expect(has('a')).toBe(false);
    expect(results).toEqual([expect.stringContaining('Not on a Friday.')]);
  });

  testInstalled('without a user, denies what was not decided in time', async () => {
    const { has, questions, statuses, results } = await walkClaude({
      install: ['--wait', '1s'],
      words: [],
      uses: [touch('a')],
      decisions: [],
    });
    expect({ has: has('a'), questions }).toEqual({ has: false, questions: ['Run `touch a`?'] });
    expect(statuses).toEqual(new Set(['closed']));
    expect(results).toEqual([expect.stringContaining('needs approval')]);
  });

  testInstalled('asks once about a command that the expert allows for the session', async () => {
    const { has, questions } = await walkClaude({
      uses: [touch('a'), touch('a'), touch('b')],
      decisions: [{ action: 'accept', content: { session_1: true } }, { action: 'decline' }],
    });
    expect([has('a'), has('b')]).toEqual([true, false]);
    expect(questions).toEqual(['Run `touch a`?', 'Run `touch b`?']);
  });

  testInstalled('gives its model the answers to its questions', async () => {
    const options = ['PostgreSQL', 'SQLite'].map((label) => ({ label, description: `Take ${label}` }));
    const asked = ['Which database?', 'And for the tests?'].map((question) => ({
      question,
      header: 'Database',
      multiSelect: false,
      options,
    }));
    const { results, questions } = await walkClaude({
      uses: [{ name: 'AskUserQuestion', input: { questions: asked } }],
      decisions: [{ action: 'accept', content: { answer_1: 'SQLite', words_2: 'None at all' } }],
    });
    expect(questions).toEqual(['Claude Code asks: Which database? (and 1 more)']);
    expect(results).toEqual([expect.stringContaining('"Which database?"="SQLite"')]);
    expect(results).toEqual([expect.stringContaining('"And for the tests?"="None at all"')]);
  });

  testInstalled('with --every, asks about calls that it would allow, and only once', async () => {
    const { has, questions, results } = await walkClaude({
      install: ['--every', 'Bash|Write'],
      words: ['--allowedTools', 'Bash'],
      uses: [touch('a'), touch('b')],
      decisions: [{ action: 'accept' }, { action: 'decline', comment: 'One is enough.' }],
    });
    expect([has('a'), has('b')]).toEqual([true, false]);
    expect(questions).toEqual(['Run `touch a`?', 'Run `touch b`?']);
    expect(results.at(1)).toContain('One is enough.');
  });

  testInstalled('with --every, does not run what was not decided in time', async () => {
    const { has, questions, results } = await walkClaude({
      install: ['--every', 'Bash|Write', '--wait', '1s'],
      words: ['--allowedTools', 'Bash'],
      uses: [touch('a')],
      decisions: [],
    });
    expect({ has: has('a'), questions }).toEqual({ has: false, questions: ['Run `touch a`?'] });
    expect(results).toEqual([expect.stringContaining('No decision of the expert.')]);
  });
});

async function walkCodex(decisions: readonly Decided[], install: readonly string[] = []) {
  const model = await startResponsesApi(['touch a']);
  return await walk({
    model,
    install: ['codex', ...install],
    decisions,
    async run({ home, project, env }) {
      const config = `model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${model.url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`;
      writeFileSync(join(home, '.codex/config.toml'), config);
      const program = programIn('.bin/codex');
      return await runCodex({ program, cwd: project, env: { ...env, SCRIPTED_KEY: 'scripted' } });
    },
  });
}

describe('Codex', () => {
  testInstalled('runs what the expert approves', async () => {
    const { ended, has, questions } = await walkCodex([{ action: 'accept' }]);
    expect({ ended, has: has('a'), questions }).toEqual({
      ended: [],
      has: true,
      questions: ['Run `touch a`?'],
    });
  });

  testInstalled('does not run what the expert declines, and its model gets the comment', async () => {
    const { ended, has, results } = await walkCodex([{ action: 'decline', comment: 'Not on a Friday.' }]);
    expect({ ended, has: has('a') }).toEqual({ ended: [], has: false });
    expect(results).toEqual([expect.stringContaining('Not on a Friday.')]);
  });

  testInstalled('asks its user about what was not decided in time', async () => {
    const { ended, has } = await walkCodex([], ['--wait', '1s']);
    expect({ ended, has: has('a') }).toEqual({
      ended: ['item/commandExecution/requestApproval'],
      has: false,
    });
  });
});
