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

/**
 * Whether the packages are on npm: `true` in the release that publishes them. Until then no page may name them to npm, since
 * the first publisher of these names would get the key that stands beside them.
 */
const arePublished = false;

/** What installs the packages. */
interface Packages {
  readonly about: string;
  /** Empty, or lines of a shell, each with a line break at its end. */
  readonly installForCommands: string;
  readonly installForScripts: string;
  readonly python: { readonly about: string; readonly install: string };
  readonly relay: string;
}

/** Debian, Ubuntu and others refuse to install outside of one. */
const virtualEnvironment = 'python3 -m venv .venv && . .venv/bin/activate\n';

const fromNpm: Packages = {
  about: '',
  installForCommands: '',
  installForScripts: 'npm install @expert-relay/sdk\n',
  python: { about: '', install: `${virtualEnvironment}pip install expert-relay\n` },
  relay: 'npx -y @expert-relay/cli',
};

/** Only what is used: the adapters ask for versions of frameworks that a project may not have. */
const install = (name: string): string => `npm install ./expert-relay-${name}-*.tgz\n`;
/** These commands never ask npm for a name. */
const fromFiles: Packages = {
  about:
    'Not on npm yet: “npm run pack” in the folder of Expert Relay makes the packages. Copy expert-relay-*.tgz into the folder where you run this.',
  installForCommands: install('cli'),
  installForScripts: install('sdk'),
  python: {
    about:
      'Not on PyPI yet: “npm run pack” in the folder of Expert Relay makes the package. Copy expert_relay-*.whl into the folder where you run this.',
    install: `${virtualEnvironment}pip install ./expert_relay-*.whl\n`,
  },
  relay: './node_modules/.bin/relay',
};

export function snippetsFor(options: SnippetOptions, isPublished = arePublished): readonly Snippet[] {
  const packages = isPublished ? fromNpm : fromFiles;
  return options.kind === 'consumer' ? forAgent(options, packages) : forScript(options, packages);
}

function forAgent({ secret, url }: SnippetOptions, packages: Packages): readonly Snippet[] {
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
      about: `The answer is printed once you have given it. ${packages.about}`.trim(),
      blocks: [
        {
          title: 'In a terminal',
          code: `${packages.installForCommands}${environment(url, secret)}
${packages.relay} ask "May I remove the lock file?"`,
        },
      ],
    },
    {
      name: 'JavaScript',
      about: packages.about,
      blocks: [
        {
          title: 'ask.mjs',
          code: `import { createRelay } from '@expert-relay/sdk';

const relay = createRelay();
const conversation = await relay.ask({ question: 'May I remove the lock file?' });
const answer = await conversation.waitForAnswer({ timeoutMs: 600_000 });
console.log(answer.text);`,
        },
        runScript('node ask.mjs', environment(url, secret), packages.installForScripts),
      ],
    },
    {
      name: 'Python',
      about: `For Python 3.10 or later. ${packages.python.about}`.trim(),
      blocks: [
        {
          title: 'ask.py',
          code: `from expert_relay import Relay

relay = Relay.from_env()
approval = relay.approve("May I remove the lock file?", timeout=600)
print("Approved." if approval.approved else "Declined.", approval.comment)
relay.stop()`,
        },
        runScript('python3 ask.py', environment(url, secret), packages.python.install),
      ],
    },
  ];
}

function forScript({ secret, url, hasExpertKey }: SnippetOptions, packages: Packages): readonly Snippet[] {
  return [
    {
      name: 'Command line',
      about: packages.about,
      blocks: [
        {
          title: hasExpertKey ? 'Once: open your key by its recovery code' : 'Once: make your key',
          code: `${packages.installForCommands}${environment(url, secret)}
${packages.relay} keys ${hasExpertKey ? 'restore' : 'make'}`,
        },
        { title: 'Wait for requests', code: `${packages.relay} listen` },
        { title: 'Read one, with its code', code: `${packages.relay} show HS-7KQ2M9XD` },
        {
          title: 'Answer it, five seconds later or more',
          code: `${packages.relay} answer HS-7KQ2M9XD "Yes, it is stale."`,
        },
      ],
    },
    {
      name: 'JavaScript',
      about:
        `It opens your key by its recovery code, answers “ping” and prints everything else. ${hasExpertKey ? '' : 'Make your key first, in Settings. '}${packages.about}`.trim(),
      blocks: [
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
        runScript('node answer.mjs', environment(url, secret), packages.installForScripts),
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

const runScript = (command: string, variables: string, install: string) => ({
  title: 'In a terminal',
  code: `${install}${variables}\n${command}`,
});
