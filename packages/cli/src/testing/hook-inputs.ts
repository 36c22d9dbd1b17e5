import { readHookInput, type ToolCall } from '../commands/hook/hook-input.ts';

/* What the programs write to a hook, as `npm run test:all -- coding-agents` has seen it. */

/** Claude Code 2.1, hooks reference of October 2026. */
const claude = {
  session_id: 'abc123',
  transcript_path: '/home/ada/.claude/projects/shop/abc123.jsonl',
  cwd: '/home/ada/shop',
  permission_mode: 'default',
};

const claudeRequest = { ...claude, hook_event_name: 'PermissionRequest' };

export const claudeInputs = {
  bash: {
    ...claudeRequest,
    tool_name: 'Bash',
    tool_input: { command: 'rm -rf node_modules && npm ci', description: 'Install the packages again' },
    permission_suggestions: [
      { type: 'addRules', rules: [], behavior: 'allow', destination: 'localSettings' },
    ],
  },
  publish: {
    ...claudeRequest,
    tool_name: 'Bash',
    tool_input: { command: 'npm publish' },
    permission_suggestions: [
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'npm publish *' }],
        behavior: 'allow',
        destination: 'localSettings',
      },
      { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    ],
  },
  question: {
    ...claudeRequest,
    tool_name: 'AskUserQuestion',
    tool_input: {
      questions: [
        {
          question: 'Which database?',
          header: 'Database',
          multiSelect: false,
          options: [
            { label: 'PostgreSQL', description: 'Runs already' },
            { label: 'SQLite', description: 'One file' },
          ],
        },
        {
          question: 'Which regions?',
          header: 'Regions',
          multiSelect: true,
          options: [
            { label: 'eu', description: '' },
            { label: 'us', description: '' },
          ],
        },
      ],
    },
  },
  edit: {
    ...claudeRequest,
    tool_name: 'Edit',
    tool_input: {
      file_path: '/home/ada/shop/src/price.ts',
      old_string: 'function price() {\n  return 1;\n}',
      new_string: 'function price() {\n  return 2;\n}',
    },
  },
  notification: {
    ...claude,
    hook_event_name: 'Notification',
    message: 'Claude is waiting for your input',
    notification_type: 'idle_prompt',
  },
} as const;

/** Codex 0.164: `permission-request.command.input.schema.json`. */
const codexRequest = {
  session_id: '0199',
  turn_id: '7',
  transcript_path: null,
  cwd: '/home/ada/shop',
  hook_event_name: 'PermissionRequest',
  model: 'gpt-5',
  permission_mode: 'default',
} as const;

export const codexInputs = {
  bash: {
    ...codexRequest,
    tool_name: 'Bash',
    tool_input: { command: 'npm publish', description: 'Needs the network' },
  },
  patch: {
    ...codexRequest,
    tool_name: 'apply_patch',
    tool_input: { command: '*** Begin Patch\n*** Update File: a.ts\n@@\n-1\n+2\n*** End Patch' },
  },
} as const;

export function readCall(text: string): ToolCall {
  const input = readHookInput(text);
  if ('message' in input) throw new Error('This is a notification.');
  return input;
}
