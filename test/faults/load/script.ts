import type { Random } from '../plan/random.ts';

/** One thing that a party does, at a moment of the timeline. */
export type Step =
  | { readonly at: number; readonly does: 'exchange keys' }
  | {
      readonly at: number;
      readonly does: 'send';
      readonly messageId: string;
      readonly length: number;
      readonly isEncrypted: boolean;
    };

/** What an agent and an expert do with one request. */
export interface Script {
  readonly submitAt: number;
  /** Repeated with every try, so that however often it is sent, one request comes of it. */
  readonly idempotencyKey: string;
  readonly question: string;
  /** Both at once: their order is the order of the request's lock. */
  readonly consumer: readonly Step[];
  readonly provider: readonly Step[];
  /** Most are left to expire. */
  readonly closeAt: number | undefined;
}

/** `within`: submits come in this time; `lasting`: each conversation is busy for so long. */
export function drawScript(random: Random, { within, lasting }: { within: number; lasting: number }): Script {
  const submitAt = random.integer(0, within);
  const moments = (count: number) =>
    Array.from({ length: count }, () => submitAt + random.integer(50, lasting)).sort((a, b) => a - b);
  const send = (at: number): Step => ({
    at,
    does: 'send',
    messageId: random.uuid(),
    length: random.integer(10, 1_500),
    isEncrypted: random.chance(0.3),
  });
  const [exchangeAt = submitAt, ...answersAt] = moments(random.integer(3, 6));
  return {
    submitAt,
    idempotencyKey: random.uuid(),
    question: `Question ${random.uuid().slice(0, 8)}, ${'and again '.repeat(random.integer(1, 20))}?`,
    consumer: moments(random.integer(1, 5)).map(send),
    provider: [{ at: exchangeAt, does: 'exchange keys' }, ...answersAt.map(send)],
    closeAt: random.chance(0.3) ? submitAt + random.integer(lasting / 2, lasting) : undefined,
  };
}
