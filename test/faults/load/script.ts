import type { Random } from '../plan/random.ts';

/** One call of the agent or the expert, at a time of the timeline. */
export type Step =
  | { readonly at: number; readonly does: 'exchange keys' }
  | {
      readonly at: number;
      readonly does: 'send';
      readonly messageId: string;
      readonly length: number;
      readonly isEncrypted: boolean;
    };

/** The calls of an agent and an expert for one request. */
export interface Script {
  readonly submitAt: number;
  /** Sent with every attempt, so that repeated submits make only one request. */
  readonly idempotencyKey: string;
  readonly question: string;
  /** Both run at the same time; the lock of the request decides the order of their messages. */
  readonly consumer: readonly Step[];
  readonly provider: readonly Step[];
  /** Undefined for most: these conversations expire. */
  readonly closeAt: number | undefined;
}

/** `submitWithinMs`: the time in which submits are made; `lasting`: how long a conversation has messages, in milliseconds. */
export function drawScript(
  random: Random,
  { submitWithinMs, lasting }: { submitWithinMs: number; lasting: number },
): Script {
  const submitAt = random.integer(0, submitWithinMs);
  const drawTimes = (count: number) =>
    Array.from({ length: count }, () => submitAt + random.integer(50, lasting)).sort((a, b) => a - b);
  const send = (at: number): Step => ({
    at,
    does: 'send',
    messageId: random.uuid(),
    length: random.integer(10, 1_500),
    isEncrypted: random.chance(0.3),
  });
  const [exchangeAt = submitAt, ...answersAt] = drawTimes(random.integer(3, 6));
  return {
    submitAt,
    idempotencyKey: random.uuid(),
    question: `Question ${random.uuid().slice(0, 8)}, ${'and again '.repeat(random.integer(1, 20))}?`,
    consumer: drawTimes(random.integer(1, 5)).map(send),
    provider: [{ at: exchangeAt, does: 'exchange keys' }, ...answersAt.map(send)],
    closeAt: random.chance(0.3) ? submitAt + random.integer(lasting / 2, lasting) : undefined,
  };
}
