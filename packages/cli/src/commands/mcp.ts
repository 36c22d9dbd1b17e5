import { resolve } from 'node:path';
import { defineCommand } from '../arguments/command.ts';
import { readDuration } from '../arguments/read-values.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { configFor, defaultWait } from '../mcp/client-config.ts';
import { acceptUnprotectedOption } from '../relay/open-agent.ts';
import { requireKind, requireRelay } from '../relay/require-relay.ts';

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'lets an AI agent ask your expert: an MCP server on stdin and stdout',
  usage: ['[options]', 'config claude-code|claude-desktop|cursor|vscode|codex [options]'],
  about:
    'For the settings of an MCP client, such as Claude, Cursor or VS Code, which starts it. It offers the tools ask_expert, wait_for_answer, reply, conversation_status and close. Conversations are stored in the same folder as those of `relay ask`. It ends with its client. `relay mcp config` prints the settings of a client: they name the profile of `relay login`, or else have your address and key.',
  options: {
    'accept-unprotected': acceptUnprotectedOption,
    'max-wait': {
      value: 'TIME',
      help: "how long a call may wait, such as 10m; 50s by default, with `config` as long as the client allows. The client's own limit must be longer",
    },
    profile: { value: 'agent', help: 'take address and key from `relay login`, and nothing from variables' },
    files: {
      value: 'DIR',
      help: 'the model may attach files of this folder; links that lead out of it are not followed',
    },
  },
  examples: [
    'relay mcp config claude-code',
    'relay mcp config codex --max-wait 10m --files ./screenshots',
    'relay mcp --files ./screenshots',
  ],
  words: [0, 2],
  profiles: ['agent'],
  startsWithWrongSettings: true,
  endsWithReader: true,
  async run(context, { options, words: [verb, client] }) {
    const maxWait = options['max-wait'];
    const longestWait =
      maxWait === undefined ? undefined : Math.round(readDuration('--max-wait', maxWait) / 1_000);
    if (longestWait !== undefined && longestWait < 10)
      throw new Failure('usage', '--max-wait is at least 10s.');
    if (verb !== undefined && verb !== 'config')
      throw new Failure('usage', `There is no \`relay mcp ${verb}\`.\nMore: relay help mcp`);
    if (verb === 'config') return showConfig(context, { client: client ?? '', options, longestWait });
    // Only here: the MCP SDK takes longer to load than all of the other commands together.
    const { serveMcp } = await import('../mcp/serve-mcp.ts');
    const acceptsUnprotected = context.config.acceptsUnprotected || options['accept-unprotected'] === true;
    const [input, output] = [process.stdin, process.stdout];
    const filesFolder = options.files;
    await serveMcp(context, {
      input,
      output,
      acceptsUnprotected,
      filesFolder,
      longestWait: longestWait ?? defaultWait,
    });
    return 'done';
  },
});

interface ConfigPlan {
  readonly client: string;
  readonly options: {
    readonly files?: string;
    readonly 'accept-unprotected'?: true;
  };
  readonly longestWait: number | undefined;
}

function showConfig(context: Context, { client, options, longestWait }: ConfigPlan): Outcome {
  const { config, folder, out, err } = context;
  if (config.wrong) throw config.wrong;
  const access = requireRelay(config, { kind: 'consumer', folder });
  requireKind(access, 'consumer', '');
  const [node = 'node', script = ''] = process.argv;
  const { files, 'accept-unprotected': unprotected } = options;
  const start = {
    command: node,
    args: [
      ...[script, 'mcp'],
      ...(config.profile ? ['--profile', config.profile] : []),
      ...(files === undefined ? [] : ['--files', resolve(folder, files)]),
      ...(unprotected ? ['--accept-unprotected'] : []),
    ],
    env: {
      ...(config.profile
        ? { RELAY_CONFIG_DIR: config.folder }
        : { RELAY_URL: access.url, RELAY_API_KEY: access.apiKey }),
      ...(config.hubUrl && { RELAY_HUB_URL: config.hubUrl }),
      ...(config.expert && { RELAY_EXPERT: config.expert.join(', ') }),
      ...(config.agentName && { RELAY_AGENT_NAME: config.agentName }),
    },
  };
  const { block, where } = configFor(client, start, longestWait);
  const about = config.profile
    ? "It has no key: the server reads the agent's profile of `relay login`."
    : 'Do not commit it: it has your key. `relay login` stores the key elsewhere.';
  err.paragraph(`This goes into ${where}. ${about}`);
  out.line(block);
  return 'done';
}
