import type { KeyKind } from './key-calls.ts';

/** A variable, so that no tool takes the import in the snippet for one of this file. */
const readline = 'node:readline/promises';

/** One way to use a key: blocks of code that work unchanged, in this order. */
export interface Snippet {
  readonly name: string;
  readonly about?: string;
  readonly blocks: readonly { readonly title: string; readonly code: string }[];
}

interface SnippetOptions {
  readonly kind: KeyKind;
  readonly secret: string;
  /** The relay's address. */
  readonly url: string;
  /** Whether the expert has a key for encryption, which a script then uses too. */
  readonly hasExpertKey: boolean;
}

const notPublished =
  'Not on npm yet: run it in the folder of Expert Relay, or install the files that “npm run pack” makes there.';

export const snippetsFor = (options: SnippetOptions): readonly Snippet[] =>
  options.kind === 'consumer' ? forAgent(options) : forScript(options);

function forAgent({ secret, url }: SnippetOptions): readonly Snippet[] {
  return [
    {
      name: 'curl',
      about: 'Without encryption: the relay can read the question and your answer.',
      blocks: [
        {
          title: 'Ask',
          code: `curl -sS ${url}/api/v1/help \\
  -H 'content-type: application/json' -d '{
  "apiKey": "${secret}",
  "messages": [],
  "question": "May I remove the lock file?",
  "plaintext": "May I remove the lock file?"
}'`,
        },
        {
          title: 'Read the answers, with the requestId of the request',
          code: `curl -sS ${url}/api/v1/messages/REQUEST_ID \\
  -H 'x-api-key: ${secret}'`,
        },
      ],
    },
    {
      name: 'Command line',
      about: `The answer is printed once you have given it. ${notPublished}`,
      blocks: [
        {
          title: 'In a terminal',
          code: `${environment(url, secret)}
npx -y @expert-relay/cli ask "May I remove the lock file?"`,
        },
      ],
    },
    {
      name: 'JavaScript',
      about: notPublished,
      blocks: [
        runScript('ask.mjs', environment(url, secret)),
        {
          title: 'ask.mjs',
          code: `import { createRelay } from '@expert-relay/sdk';

const { RELAY_URL: url = '', RELAY_API_KEY: apiKey = '' } = process.env;
const relay = createRelay({ url, apiKey });
const conversation = await relay.ask({ question: 'May I remove the lock file?' });
const answer = await conversation.waitForAnswer({ timeout: 600_000 });
console.log(answer.text);`,
        },
      ],
    },
    {
      name: 'MCP',
      about: `For AI clients such as Claude, Cursor or VS Code. ${notPublished}`,
      blocks: [
        {
          title: 'In the client’s configuration',
          code: JSON.stringify(
            {
              mcpServers: {
                'expert-relay': {
                  command: 'npx',
                  args: ['-y', '@expert-relay/cli', 'mcp'],
                  env: { RELAY_URL: url, RELAY_API_KEY: secret },
                },
              },
            },
            undefined,
            2,
          ),
        },
      ],
    },
  ];
}

function forScript({ secret, url, hasExpertKey }: SnippetOptions): readonly Snippet[] {
  return [
    {
      name: 'Command line',
      about: notPublished,
      blocks: [
        {
          title: hasExpertKey ? 'Once: open your key by its recovery code' : 'Once: make your key',
          code: `${environment(url, secret)}
npx -y @expert-relay/cli keys ${hasExpertKey ? 'restore' : 'make'}`,
        },
        { title: 'Wait for requests', code: 'npx -y @expert-relay/cli listen' },
        {
          title: 'Answer, with the code of the request',
          code: 'npx -y @expert-relay/cli answer HS-7KQ2M9XD "Yes, it is stale."',
        },
      ],
    },
    {
      name: 'JavaScript',
      about: `It opens your key by its recovery code, answers “ping” and prints everything else. ${hasExpertKey ? '' : 'Make your key first, in Settings. '}${notPublished}`,
      blocks: [
        runScript('answer.mjs', environment(url, secret)),
        {
          title: 'answer.mjs',
          code: `import { createInterface } from '${readline}';
import { openVault } from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';

const { RELAY_URL: url = '', RELAY_API_KEY: apiKey = '' } = process.env;
const headers = { 'x-api-key': apiKey };
const { vault } = await (await fetch(\`\${url}/api/v1/vault\`, { headers })).json();

const terminal = createInterface({ input: process.stdin, output: process.stdout });
const root = await openVault(vault, await terminal.question('Recovery code: '));
terminal.close();

const expert = createExpert({ url, apiKey, root });
for await (const request of expert.requests()) {
  console.log(request.refCode, request.question);
  if (request.question !== 'ping') continue;
  await request.pickUp();
  await request.answer('pong');
}`,
        },
      ],
    },
    {
      name: 'curl',
      about: 'Without encryption: the relay can read these answers.',
      blocks: [
        {
          title: 'List the requests that wait for you',
          code: `curl -sS '${url}/api/v1/requests?status=pending' \\
  -H 'x-api-key: ${secret}'`,
        },
        {
          title: 'Answer, with the requestId of the request',
          code: `curl -sS ${url}/api/v1/message/REQUEST_ID \\
  -H 'x-api-key: ${secret}' -H 'content-type: application/json' \\
  -d '{"role": "provider", "plaintext": "Yes, it is stale."}'`,
        },
      ],
    },
  ];
}

const environment = (url: string, secret: string): string =>
  `export RELAY_URL=${url}\nexport RELAY_API_KEY=${secret}`;

const runScript = (file: string, variables: string) => ({
  title: 'In a terminal',
  code: `npm install @expert-relay/sdk\n${variables}\nnode ${file}`,
});
