import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Conversation, createRelay, type RelayError } from '@expert-relay/sdk';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { eventually } from '@expert-relay/testkit';
import type { CommandRunner } from '../../../packages/cli/src/testing/command-runner.ts';
import { claudeInputs } from '../../../packages/cli/src/testing/hook-inputs.ts';
import { startMcpClient } from '../../../packages/cli/src/testing/mcp-client.ts';
import type { runExample } from '../run-example.ts';
import { file, type Way } from './ways.ts';

/** An agent's key, and the expert who answers it. */
export interface Party {
  readonly consumerKey: string;
  readonly providerKey: string;
  readonly fingerprint: string;
}

interface Asked {
  readonly refCode: string;
  /** What the agent gets: the answer, the content of a decision, words that are no decision, or an error. */
  readonly got: Promise<unknown>;
}

export interface Surroundings {
  readonly url: string;
  readonly commands: CommandRunner;
  /** Runs Python with the client. */
  readonly python: (
    program: string,
    args: readonly string[],
    env: Record<string, string>,
  ) => ReturnType<typeof runExample>;
  readonly stops: (() => unknown)[];
}

export const waysToAsk = ({ url, commands, python, stops }: Surroundings) => {
  const path = join(commands.folder, file.name);
  writeFileSync(path, file.text);
  // Each agent is new, so that it knows no other expert.
  const env = ({ consumerKey }: Party) => ({
    RELAY_URL: url,
    RELAY_API_KEY: consumerKey,
    RELAY_CONFIG_DIR: join(commands.folder, crypto.randomUUID()),
  });

  return {
    async 'the SDK'({ consumerKey }, { question, form, isConfidential, hasFile, isNamed }) {
      const agent = createRelay({ url, apiKey: consumerKey, secret: makeRoot() });
      stops.push(agent.stop);
      const conversation = await agent.ask({
        question,
        form,
        confidential: isConfidential,
        files: hasFile ? [{ name: file.name, bytes: Buffer.from(file.text) }] : [],
        ...(isNamed && { once: crypto.randomUUID() }),
      });
      const got = form
        ? decided(conversation)
        : conversation.waitForAnswer({ timeoutMs: 60_000 }).then(({ text }) => text);
      return { refCode: conversation.refCode, got: got.catch((error: RelayError) => error.code) };
    },

    async Python(party, { question, form, isConfidential, hasFile, isNamed }) {
      const asked = {
        question,
        form,
        confidential: isConfidential,
        files: hasFile ? [[file.name, file.text]] : [],
        ...(isNamed && { once: crypto.randomUUID() }),
      };
      const secret = Buffer.from(makeRoot()).toString('base64');
      const agent = python('ask.py', [JSON.stringify(asked)], { ...env(party), RELAY_AGENT_SECRET: secret });
      const [refCode] = await agent.untilPrinted(/HS-\w{8}/);
      return {
        refCode,
        got: agent.ended().then(({ code, printed }) => (code ? printed : JSON.parse(printed))),
      };
    },

    async 'the command line'(party, { name, question, form, content, isConfidential, hasFile, isNamed }) {
      const isApproval = name.startsWith('approval');
      const isChoice = name.startsWith('choice');
      const formPath = join(commands.folder, `${crypto.randomUUID()}.json`);
      if (form) writeFileSync(formPath, JSON.stringify(form));
      const asForm = isChoice ? ['--choice', 'eu', '--choice', 'us'] : ['--form', formPath];
      const words = [
        ...[isApproval ? 'approve' : 'ask', question, '--wait', '1m'],
        ...(form && !isApproval ? asForm : []),
        ...(isConfidential ? ['--confidential'] : []),
        ...(hasFile ? ['--attach', path] : []),
        ...(isNamed ? ['--once', crypto.randomUUID()] : []),
      ];
      const asking = commands.start(words, { env: env(party) });
      const [refCode] = await asking.printed(/HS-\w{8}/);
      const got = asking.ended.then(({ code, stdout, stderr }) => {
        if (code !== 0) return stderr;
        if (isChoice) return { choice: stdout.trim() };
        return isApproval ? content : form ? JSON.parse(stdout) : stdout.trim();
      });
      return { refCode, got };
    },

    async MCP(party, { question, form, isConfidential, hasFile, isNamed }) {
      const client = await startMcpClient({ env: env(party), args: ['--files', commands.folder] });
      stops.push(client.close);
      const { data, text } = await client.call('ask_expert', {
        question,
        form,
        confidential: isConfidential,
        ...(hasFile && { attach: [path] }),
        ...(isNamed && { idempotency_key: crypto.randomUUID() }),
      });
      const reference: string = data?.reference;
      if (!reference) throw new Error(text);
      const wait = async () => {
        const { data, text } = await client.call('wait_for_answer', { reference, max_seconds: 20 });
        if (data?.outcome === 'still_waiting') return;
        const [, code] = /Error code: (\w+)/.exec(text) ?? [];
        return data?.decision?.content ?? data?.answers?.[0]?.text ?? code ?? text;
      };
      return { refCode: reference, got: eventually('an answer', wait, { timeoutMs: 60_000 }) };
    },

    async 'the hook'(party, { content, isConfidential }) {
      const asking = commands.start(['hook', ...(isConfidential ? ['--confidential'] : [])], {
        env: { ...env(party), RELAY_EXPERT: party.fingerprint },
        input: JSON.stringify(claudeInputs.edit),
      });
      const [refCode] = await asking.printed(/HS-\w{8}/);
      const got = asking.ended.then(({ stdout, stderr }) => {
        const allowed = stdout && JSON.parse(stdout).hookSpecificOutput.decision.behavior === 'allow';
        return allowed ? content : stdout + stderr;
      });
      return { refCode, got };
    },

    async 'bare HTTP'({ consumerKey }, { question }) {
      const submitted = await fetch(`${url}/api/v1/help`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ apiKey: consumerKey, messages: [], question, plaintext: question }),
      });
      const { requestId, refCode } = (await submitted.json()) as Record<'requestId' | 'refCode', string>;
      const got = eventually('an answer', async () => {
        const headers = { 'x-api-key': consumerKey };
        const listed = await fetch(`${url}/api/v1/messages/${requestId}`, { headers });
        const { messages } = (await listed.json()) as { messages: { role: string; plaintext?: string }[] };
        return messages.find(({ role }) => role === 'provider')?.plaintext;
      });
      return { refCode, got };
    },
  } satisfies Record<string, (party: Party, way: Way) => Promise<Asked>>;
};

export type Asking = keyof ReturnType<typeof waysToAsk>;

async function decided(conversation: Conversation): Promise<unknown> {
  const enough = new AbortController();
  const words: string[] = [];
  const onReply = ({ text }: { readonly text: string }) => {
    words.push(text);
    enough.abort();
  };
  const decision = await conversation
    .waitForDecision({ timeoutMs: 60_000, signal: enough.signal, onReply })
    .catch((error: unknown) => {
      if (words.length === 0) throw error;
    });
  return decision ? decision.content : `words: ${words.join()}`;
}
