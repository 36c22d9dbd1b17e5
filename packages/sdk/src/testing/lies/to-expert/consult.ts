import { setTimeout } from 'node:timers/promises';
import { eventually, type Json } from '@expert-relay/testkit';
import {
  type MessageRecord,
  type makeRoot,
  openChannel,
  openExpert,
  restoreAgentKeys,
} from '../../../crypto/index.ts';
import { createExpert, type Expert, type ExpertMessage, type ExpertRequest } from '../../../expert/index.ts';
import { type Conversation, createMemory, createRelay, type Memory, RelayError } from '../../../index.ts';
import { quick } from '../../quick.ts';
import { type Scene, type Stage, texts } from '../scene.ts';
import type { ExpertRow } from './expert-row.ts';

export interface Consulted {
  readonly conversation: Conversation;
  readonly request: ExpertRequest | undefined;
  /** What the expert was shown. */
  readonly heard: readonly ExpertMessage[];
  /** What the expert was told. */
  readonly code: string;
  /** The calls that carried answers, as they left the expert. */
  readonly sent: readonly Json[];
  /** What came to the agent, and what it was told. */
  readonly agent: { readonly got: readonly string[]; readonly code: string };
  stop(): Promise<void>;
}

export const answers: readonly string[] = ['Yes.', 'Really.'];

const codeOf = (error: unknown): string => {
  if (error instanceof RelayError) return error.code;
  throw error;
};

/** Milliseconds that are waited for what need not come. */
const moment = 900;

/** An agent calls the relay directly and asks an expert who calls it through the lying proxy. */
export async function consult(stage: Stage, scene: Scene, row: ExpertRow): Promise<Consulted> {
  const { world, tenant, liar, root } = stage;
  const relay = createRelay({ url: world.gatewayUrl, apiKey: tenant.consumerKey, timing: quick });
  const conversation = await relay.ask({
    question: 'May I?',
    messages: [{ role: 'user', content: 'The deploy hangs.' }],
  });
  const { requestId } = conversation;
  const memory = createMemory();
  if (row.before) await comeBefore(stage, { requestId, before: row.before, memory });
  if (row.isClosed) await conversation.close();
  const { signPublic, encryptPublic } = await (await openExpert(root)).keysFor(requestId);
  liar.tell(row.lie({ ...scene, requestId, own: { sign: signPublic.pem, encrypt: encryptPublic.pem } }));

  const sent: Json[] = [];
  const watched: typeof fetch = (url, init) => {
    if (init?.method === 'POST' && String(url).includes('/message/'))
      sent.push(JSON.parse(String(init.body)));
    return fetch(url, init);
  };
  const expert = createExpert({
    url: liar.url,
    apiKey: tenant.providerKey,
    root,
    memory,
    timing: quick,
    fetch: watched,
  });
  const expected = row.after ?? (row.code || row.agent || row.upTo !== undefined ? 0 : texts.length);
  const heard: ExpertMessage[] = [];
  const agent = { got: [] as string[], code: '' };
  let code = '';
  let isOver = false;
  const told = (error: unknown) => {
    if (!isOver) code ||= codeOf(error);
  };
  const fromAgent = () =>
    heard.filter(({ role, protection }) => role === 'consumer' && protection === 'sequenced');

  async function listen(request: ExpertRequest): Promise<void> {
    for await (const message of request.messages) heard.push(message);
  }
  async function answer(request: ExpertRequest): Promise<void> {
    for (const text of answers) await request.answer(text);
  }

  const request = await find(expert, conversation, row).catch(told);
  if (request) {
    if (!row.all) listen(request).catch(told);
    if (request.encrypted) await request.pickUp().catch(told);
    await conversation.refresh().catch((error) => {
      agent.code = codeOf(error);
    });
    for (const [index, text] of texts.entries()) {
      if (agent.code || code || conversation.verification === 'none') break;
      await conversation.send(text).catch((error) => {
        agent.code = codeOf(error);
      });
      if (row.all) continue;
      const within = index < expected ? 5_000 : moment;
      await eventually('the message', () => fromAgent().length > index || code, { within }).catch(() => {});
    }
    if (row.all) listen(request).catch(told);
    if (row.all) await eventually('all messages', () => fromAgent().length === texts.length || code);
    if (!code) await answer(request).catch(told);
    for (let at = 0; at < answers.length && !agent.code && !row.isClosed; at += 1) {
      const patience = row.agent === 'timeout' || (code && row.agent === undefined) ? 300 : 60_000;
      await conversation.waitForAnswer({ timeout: patience }).then(
        ({ text }) => agent.got.push(text),
        (error) => {
          agent.code = codeOf(error);
        },
      );
    }
    if (row.code) await eventually('what the expert is told', () => code).catch(() => {});
  }
  return {
    conversation,
    request: request ?? undefined,
    heard,
    code,
    sent,
    agent,
    async stop() {
      isOver = true;
      expert.stop();
      if (!row.isClosed) await conversation.close().catch(() => {});
      relay.stop();
    },
  };
}

/** Another client, to which nobody lies: it knows what the next one should see. */
async function comeBefore(
  { world, tenant, root }: Stage,
  {
    requestId,
    before,
    memory,
  }: { requestId: string; before: NonNullable<ExpertRow['before']>; memory: Memory },
): Promise<void> {
  const { gatewayUrl: url } = world;
  const expert = createExpert({ url, apiKey: tenant.providerKey, root, memory, timing: quick });
  const request = await expert.request(requestId);
  if (before !== 'look') await request.pickUp();
  if (before === 'answer' || before === 'talk') for (const text of answers) await request.answer(text);
  if (before === 'talk') await request.refresh();
  expert.stop();
}

/** As experts come upon a request. From the list nothing may come twice. */
async function find(
  expert: Expert,
  { requestId, refCode }: Conversation,
  { by, code }: ExpertRow,
): Promise<ExpertRequest> {
  if (by === 'code') return await expert.request(refCode.toLowerCase());
  if (by !== 'list') return await expert.request(requestId);
  const found: ExpertRequest[] = [];
  const enough = new AbortController();
  const ours = () => found.find((request) => request.requestId === requestId);
  const all = async () => {
    for await (const request of expert.requests({ signal: enough.signal })) found.push(request);
  };
  const patience = code === 'timeout' ? 1_000 : 60_000;
  let hasFailed = false;
  const listing = all().catch((error: unknown) => {
    hasFailed = true;
    throw error;
  });
  const listed = eventually('the request', () => ours() || hasFailed, { within: patience }).catch(() => {});
  await Promise.race([listing, listed]);
  // What comes twice comes soon.
  await setTimeout(300);
  enough.abort();
  const request = ours();
  if (!request) throw new RelayError('timeout', 'It was not listed.');
  if (new Set(found.map((one) => one.requestId)).size === found.length) return request;
  throw new Error('A request was handed out twice.');
}

/** Whether what the expert sent was sealed for the keys that the agent really has. */
export async function opensForAgent(
  conversation: Conversation,
  root: ReturnType<typeof makeRoot>,
  body: Json,
): Promise<boolean> {
  const { requestId } = conversation;
  const { keys } = conversation.export();
  if (!keys) throw new Error('The agent asked without keys.');
  const { signPublic: sign, encryptPublic: encrypt } = await (await openExpert(root)).keysFor(requestId);
  const own = await restoreAgentKeys(keys);
  const channel = await openChannel({ requestId, role: 'consumer', own, peer: { sign, encrypt } });
  try {
    await channel.open(body as unknown as MessageRecord);
    return true;
  } catch (error) {
    // It opened: that others come before it is found only then.
    return error instanceof RelayError && error.code === 'message_missing';
  }
}
