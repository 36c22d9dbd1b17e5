import { parseArgs } from 'node:util';
import { UsageError } from '../../../scripts/terminal/failure.ts';

/** The settings of a chaos run. */
export interface ChaosSettings {
  readonly seed: number;
  readonly connections: number;
  /** Connections before the first measurement of memory, so that caches and pools are full. */
  readonly warmUp: number;
  readonly perSecond: number;
  /** The time without attackers before and after the attack, in milliseconds. */
  readonly quietMs: number;
  /** Only these connections. */
  readonly only?: readonly number[];
  /** The major version of Node for the services; by default the version of this process. */
  readonly node?: string;
  readonly limits: boolean;
}

export const defaults: ChaosSettings = {
  seed: 1,
  connections: 50_000,
  warmUp: 5_000,
  perSecond: 60,
  quietMs: 40_000,
  limits: false,
};

/** Reads `npm run faults -- chaos ...`. */
export function readChaosSettings(args: string[]): ChaosSettings {
  const values = readOptions(args);
  const whole = (name: 'seed' | 'connections' | 'rate', least: number, otherwise: number): number => {
    const number = Number(values[name] ?? otherwise);
    if (!Number.isInteger(number) || number < least)
      throw refuse(`--${name} takes a whole number from ${least}.`);
    return number;
  };
  const connections = whole('connections', 1, defaults.connections);
  return {
    ...defaults,
    seed: whole('seed', 0, defaults.seed),
    connections,
    warmUp: Math.min(defaults.warmUp, connections),
    perSecond: whole('rate', 1, defaults.perSecond),
    limits: values.limits ?? false,
    ...(values.only === undefined ? {} : { only: readIndices(values.only), warmUp: 0, quietMs: 3_000 }),
    ...(values.node === undefined ? {} : { node: readMajor(values.node) }),
  };
}

/** `812`, `800..815`, and several of these with commas. */
function readIndices(text: string): number[] {
  return text.split(',').flatMap((part) => {
    const [, first, last] = /^(\d{1,7})(?:\.\.(\d{1,7}))?$/.exec(part.trim()) ?? [];
    const [from, to] = [Number(first), Number(last ?? first)];
    if (!(to >= from)) throw refuse(`"${part}" names no connections.`);
    return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
  });
}

function readMajor(text: string): string {
  if (!/^\d{2}$/.test(text)) throw refuse('--node takes a major version such as 22.');
  return text;
}

function readOptions(args: string[]) {
  try {
    const options = {
      seed: { type: 'string' },
      connections: { type: 'string' },
      rate: { type: 'string' },
      only: { type: 'string' },
      node: { type: 'string' },
      limits: { type: 'boolean' },
    } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw refuse(`${(error as Error).message.split('. ')[0]}.`);
  }
}

const refuse = (sentence: string) =>
  new UsageError(`${sentence} Usage:

  npm run faults -- chaos                       50,000 hostile connections, seed ${defaults.seed}
  npm run faults -- chaos --seed 7              others
  npm run faults -- chaos --connections 5000    fewer
  npm run faults -- chaos --rate 50             50 of them a second, instead of ${defaults.perSecond}
  npm run faults -- chaos --node 22             with the services on Node 22, which npm fetches
  npm run faults -- chaos --limits              with the rate limits of production
  npm run faults -- chaos --seed 7 --only 812   only this connection, with its exact steps; or 800..815`);
