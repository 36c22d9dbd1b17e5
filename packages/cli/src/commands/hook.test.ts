import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { eventually } from '@expert-relay/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { claudeInputs, codexInputs } from '../testing/hook-inputs.ts';
import { useTestCli } from '../testing/test-cli.ts';

const cli = useTestCli();
let env: Record<string, string>;
beforeAll(async () => {
  const made = await cli.asExpert('keys', 'make', '--json');
  env = { ...cli.agent, RELAY_EXPERT: JSON.parse(made.stdout).fingerprint };
});

const output = (decision: object) => ({
  hookSpecificOutput: { hookEventName: 'PermissionRequest', decision },
});

describe('relay hook', () => {
  test.concurrent.each([
    ['Claude Code', claudeInputs.edit, ['--approve', 'Fine.'], { behavior: 'allow' }],
    [
      'Claude Code',
      claudeInputs.bash,
      ['--decline'],
      { behavior: 'deny', message: 'The expert has declined.' },
    ],
    [
      'Codex',
      codexInputs.bash,
      ['--decline', 'Not on a Friday.'],
      { behavior: 'deny', message: 'Not on a Friday.' },
    ],
    ['Codex', codexInputs.patch, ['--approve'], { behavior: 'allow' }],
    // Its rules for the session are fields.
    ['Claude Code', claudeInputs.publish, ['--approve'], { behavior: 'allow' }],
  ])('%s is given the decision', async (program, input, words, decision) => {
    const run = cli.start(['hook'], { env, input: JSON.stringify(input) });
    const [refCode] = await run.printed(/HS-\w{8}/);
    expect(await cli.answer(refCode, ...words)).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout } = await run.ended;
    expect({ code, output: JSON.parse(stdout) }).toEqual({ code: 0, output: output(decision) });
    const asked = JSON.parse((await cli.asExpert('show', refCode, '--json')).stdout);
    expect(asked).toMatchObject({
      status: 'closed',
      agentName: program,
      question: expect.stringContaining(input.tool_name),
    });
  });

  test.concurrent('gives what is ticked to the program, for its session', async () => {
    const run = cli.start(['hook'], { env, input: JSON.stringify(claudeInputs.publish) });
    const [refCode] = await run.printed(/HS-\w{8}/);
    const listed = await cli.asExpert('show');
    expect(listed.stdout).toMatch(new RegExp(`${refCode}.*Run \`npm publish\``));
    await cli.answer(refCode, '--set', 'session_1=yes');
    const { updatedPermissions } = JSON.parse((await run.ended).stdout).hookSpecificOutput.decision;
    expect(updatedPermissions).toMatchObject([{ type: 'addRules', destination: 'session' }]);
  });

  test.concurrent('asks the questions of Claude Code as a form', async () => {
    const run = cli.start(['hook'], { env, input: JSON.stringify(claudeInputs.question) });
    const [refCode] = await run.printed(/HS-\w{8}/);
    await cli.answer(refCode, '--set', 'answer_1=SQLite', '--set', 'words_2=asia');
    expect(JSON.parse((await run.ended).stdout)).toEqual(
      output({
        behavior: 'allow',
        updatedInput: {
          ...claudeInputs.question.tool_input,
          answers: { 'Which database?': 'SQLite', 'Which regions?': 'asia' },
        },
      }),
    );
  });

  test.concurrent('lets the program ask its user where nothing was decided before a call', async () => {
    const input = JSON.stringify({ ...claudeInputs.bash, hook_event_name: 'PreToolUse' });
    const { code, stdout } = await cli.run(['hook', '--wait', '1s'], { env, input });
    expect({ code, output: JSON.parse(stdout) }).toEqual({
      code: 0,
      output: {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'ask',
          permissionDecisionReason: expect.stringContaining('No decision within 1 second'),
        },
      },
    });
  });

  test.concurrent('tells the expert that the agent waits', async () => {
    const run = await cli.run(['hook'], {
      env: { ...env, RELAY_AGENT_NAME: 'reviewer' },
      input: JSON.stringify(claudeInputs.notification),
    });
    expect(run).toMatchObject({ code: 0, stdout: '' });
    const { stdout, stderr } = await cli.asExpert('show');
    expect(stdout + stderr).toMatch(/ {2}reviewer +The agent in .* waits: Claude is waiting for your input/);
  });

  const bash = JSON.stringify(claudeInputs.bash);
  const secret = JSON.stringify({ ...claudeInputs.bash, tool_input: { command: 'cat .env' } });
  const long = JSON.stringify({ ...claudeInputs.bash, tool_input: { command: 'x'.repeat(60_001) } });
  const named = JSON.stringify({ ...claudeInputs.notification, message: 'May Claude read .env' });
  test.concurrent.each([
    ['no decision arrives in time', ['--wait', '1s'], bash, {}, /No decision within/],
    ['it is too long to be shown in full', [], long, {}, /too long to be shown/],
    ['the input is another one', [], '{}', {}, /not what this hook gets/],
    ['a rule keeps it here', [], secret, {}, /A rule of this machine keeps it here: \.env/],
    ['a rule keeps a notification here', [], named, {}, /keeps it here: \.env/],
    ['no expert is named', [], bash, { RELAY_EXPERT: '' }, /RELAY_EXPERT is empty/],
    ['a setting is wrong', [], bash, { RELAY_EXPERT: '12' }, /RELAY_EXPERT is not a fingerprint/],
    ['the key is none', [], bash, { RELAY_API_KEY: `hs_${'0'.repeat(38)}` }, /No decision of the expert/],
    ['an option is unknown', ['--wiat', '1s'], bash, {}, /has no option --wiat/],
    ['an option is wrong', ['--wait', 'soon'], bash, {}, /--wait is "soon"/],
  ])('prints nothing and ends with 0 when %s', async (_when, words, input, wrong, why) => {
    const { code, stdout, stderr } = await cli.run(['hook', ...words], { env: { ...env, ...wrong }, input });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(why);
  });

  test.concurrent('withdraws its question when the program ends it', async () => {
    const run = cli.start(['hook'], { env, input: bash });
    const [refCode] = await run.printed(/HS-\w{8}/);
    run.kill('SIGTERM');
    expect(await run.ended).toMatchObject({ code: 0, stdout: '' });
    // It waits three seconds for the answer to its call, which on a busy machine may come later.
    await eventually('the question to be closed', async () => {
      const { stdout } = await cli.asExpert('show', refCode, '--json');
      return JSON.parse(stdout).status === 'closed';
    });
  });
});

describe('relay hook install', () => {
  test('shows the change, and makes it only after a yes', async () => {
    const path = `${cli.folder}/.claude/settings.json`;
    mkdirSync(`${cli.folder}/.claude`, { recursive: true });
    const before = '{ "model": "opus" }\n';
    writeFileSync(path, before, { mode: 0o640 });
    const asked = await cli.run(['hook', 'install', 'claude', '--project'], { env });
    expect(asked).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('+       "command": "relay hook --wait 10m"'.slice(8)),
    });
    expect(readFileSync(path, 'utf8')).toBe(before);
    const shared = await cli.run(['hook', 'install', 'codex', '--project', '--yes'], { env });
    expect(shared.stderr).toMatch(/RELAY_EXPERT in its environment, .*trusted.*`relay` from its PATH/s);
    const args = ['claude', '--user', '--notify', '--every', 'Bash|Write', '--wait', '1h', '--yes'];
    const own = await cli.run(['hook', 'install', ...args], { env });
    expect(own).toMatchObject({ code: 0, stderr: expect.not.stringContaining('PATH') });
    const { model, hooks, env: variables } = JSON.parse(readFileSync(path, 'utf8'));
    expect(model).toBe('opus');
    expect(variables).toEqual({ RELAY_EXPERT: env.RELAY_EXPERT, RELAY_CONFIG_DIR: env.RELAY_CONFIG_DIR });
    expect(own.stdout).toContain(`+     "RELAY_EXPERT": "${env.RELAY_EXPERT}"`);
    expect(hooks).toMatchObject({
      PermissionRequest: [
        {
          matcher: '^(?!(Bash|Write)$)',
          hooks: [{ type: 'command', command: expect.stringMatching(/ hook --wait 1h$/), timeout: 3_690 }],
        },
      ],
      PreToolUse: [{ matcher: 'Bash|Write', hooks: [{ timeout: 3_690 }] }],
      Notification: [{ hooks: [{ command: expect.stringMatching(/ hook --wait 1h$/), timeout: 60 }] }],
    });
    expect(await cli.run(['hook', 'uninstall', 'claude', '--user', '--yes'], { env })).toMatchObject({
      code: 0,
    });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ model: 'opus' });
    writeFileSync(path, '{ // a comment\n}');
    const broken = await cli.run(['hook', 'install', 'claude', '--user', '--yes'], { env });
    expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('Nothing was changed') });
    expect(readFileSync(path, 'utf8')).toBe('{ // a comment\n}');
  });
});
