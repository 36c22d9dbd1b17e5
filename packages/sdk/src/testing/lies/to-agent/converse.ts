import { setTimeout } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { type Conversation, createRelay, RelayError } from '../../../index.ts';
import { quick } from '../../quick.ts';
import { honestExpert, type Scene, type Stage, texts } from '../scene.ts';
import type { AgentRow } from './agent-row.ts';

export interface Heard {
  readonly conversation: Conversation;
  readonly got: readonly { readonly text: string; readonly protection: string }[];
  readonly code: string;
}

/** Milliseconds that are waited for what need not come. */
const moment = 600;

/** Asks through the liar, and has the expert answer three times, each time after the agent could look. */
export async function converse(stage: Stage, scene: Scene, row: AgentRow): Promise<Heard> {
  const { liar, tenant } = stage;
  liar.tell(row.lie(scene));
  const expert = honestExpert(stage);
  const relay = createRelay({
    url: liar.url,
    apiKey: tenant.consumerKey,
    timing: quick,
    expert: row.known ? await expert.fingerprint() : undefined,
  });
  const conversation = await relay.ask(row.asked ?? { question: 'May I?' });
  const request = await expert.request(conversation.requestId);
  const expected = row.after ?? (row.code ? 0 : texts.length);
  const got: { text: string; protection: string }[] = [];
  let code = '';
  const listen = async () => {
    for await (const { text, protection } of conversation) {
      got.push({ text, protection });
      if (got.length === texts.length) return;
    }
    await conversation.waitForAnswer();
  };
  const begin = () =>
    listen().catch((error: unknown) => {
      if (!(error instanceof RelayError)) throw error;
      code = error.code;
    });
  let listening = row.all ? undefined : begin();
  await request.pickUp();
  for (const [index, text] of texts.entries()) {
    await request.answer(text);
    if (row.all) continue;
    const within = index < expected ? 5_000 : moment;
    await eventually('the answer', () => got.length > index || code, { within }).catch(() => {});
  }
  listening ??= begin();
  const patience = row.code === 'timeout' ? 3_000 : 60_000;
  await Promise.race([listening, setTimeout(patience, undefined, { ref: false })]);
  if (got.length < texts.length) code ||= 'timeout';
  relay.stop();
  expert.stop();
  return { conversation, got, code };
}
