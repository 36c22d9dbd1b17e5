import { checksumOf } from '../../../black-box/key-text.ts';
import type { Random } from '../../plan/random.ts';
import { type Header, pickWeighted } from './call.ts';
import type { Knowledge } from './connection.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A well-formed key that does not exist, so that it must be looked up. */
function guessKey(random: Random): string {
  const start =
    random.pick(['hs_', 'hs_prov_']) + Array.from({ length: 32 }, () => random.pick([...digits])).join('');
  return start + checksumOf(start);
}

const malformed = [
  '',
  'hs_',
  'hs_prov_',
  'x',
  'hs_\x80\xff',
  `hs_${'a'.repeat(38)}`,
  `hs_${'k'.repeat(4_000)}`,
];

/** One of the attacker's keys, a guessed one, or a malformed one. */
export const drawKey = (random: Random, own: readonly string[]): string =>
  pickWeighted<() => string>(random, [
    [3, () => own[0] as string],
    [3, () => random.pick(own)],
    [2, () => guessKey(random)],
    [2, () => random.pick(malformed)],
  ])();

export function keyHeaders(random: Random, own: readonly string[]): Header[] {
  if (random.chance(0.12)) return [];
  const header: Header = ['x-api-key', drawKey(random, own)];
  return random.chance(0.03) ? [header, ['x-api-key', random.pick(own)]] : [header];
}

export function sessionHeaders(random: Random, { cookie, gatewayHost }: Knowledge): Header[] {
  const cookies = pickWeighted(random, [
    [6, [cookie]],
    [1, []],
    [1, [cookie.replace(/.{6}$/, 'AAAAAA')]],
    [1, [`${cookie}; ${cookie}`]],
    [1, ['=;;=; %%%; relay=s%3A']],
    [1, [`a=${'b'.repeat(6_000)}`]],
  ]);
  const origins = pickWeighted(random, [
    [6, []],
    [2, [`http://${gatewayHost}`]],
    [1, ['https://evil.example']],
    [1, ['null']],
    [1, ['http://[::1']],
  ]);
  return [
    ...cookies.map((value): Header => ['cookie', value]),
    ...origins.map((value): Header => ['origin', value]),
  ];
}
