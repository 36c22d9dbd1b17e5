import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { ChannelState } from './crypto/history.ts';
import { readParts } from './crypto/parts.ts';
import { decide, type GivenAnswer } from './forms/decide.ts';
import { isCrossed } from './thread/shown.ts';

/* The cases of packages/sdk/vectors/decisions.json, which programs in other languages run too: docs/forms.md. */

interface Given {
  readonly answer: string;
  readonly crossed?: boolean;
  readonly unproven?: boolean;
  readonly unknownPart?: boolean;
  readonly unknownNote?: boolean;
}

const { forms, answers, standings, histories } = JSON.parse(
  readFileSync(new URL('../vectors/decisions.json', import.meta.url), 'utf8'),
) as {
  readonly forms: Readonly<Record<string, object>>;
  readonly answers: Readonly<Record<string, object | string>>;
  readonly standings: readonly {
    readonly name: string;
    readonly form: string;
    readonly given: readonly (string | Given)[];
    readonly state: string;
    readonly by?: number;
    readonly invalid?: readonly number[];
  }[];
  readonly histories: readonly {
    readonly name: string;
    readonly messages: readonly (readonly [role: 'agent' | 'expert', ...links: number[]])[];
    readonly answer: number;
    readonly crossed: boolean;
  }[];
};

const jsonOf = (answer: object | string | undefined) =>
  typeof answer === 'string' ? answer : JSON.stringify(answer);

const body = new Uint8Array();
const unknownParts = [0, 4, 63].map((kind) => ({ kind, body }));
const unknownNotes = [64, 199, 200, 255].map((kind) => ({ kind, body }));

function givenAnswer(given: string | Given, at: number): GivenAnswer {
  const { answer, ...about }: Given = typeof given === 'string' ? { answer: given } : given;
  const { crossed, unproven, unknownPart, unknownNote } = about;
  const parts = [...(unknownPart ? unknownParts : []), ...(unknownNote ? unknownNotes : [])];
  return {
    messageId: String(at),
    json: jsonOf(answers[answer]),
    isProven: !unproven,
    isCrossed: crossed === true,
    isUncertain: readParts(parts, 'provider').isUncertain,
  };
}

test.each(standings)('what counts: $name', ({ form, given, state, by, invalid = [] }) => {
  const standing = decide(JSON.stringify(forms[form]), given.map(givenAnswer));
  expect(standing).toMatchObject({ state, invalid: invalid.map(String) });
  expect(standing.decided?.messageId).toBe(by === undefined ? undefined : String(by));
});

test('all that count are named, in their order, for those who cannot know which one the agent got', () => {
  const namesOf = (...given: (string | Given)[]) => {
    const { counted } = decide(JSON.stringify(forms.region), given.map(givenAnswer));
    return counted.map(({ messageId }) => Number(messageId));
  };
  expect(namesOf('eu', 'no')).toEqual([0, 1]);
  expect(namesOf('no', 'no', 'eu a b', 'a b eu', 'eu b a')).toEqual([0, 2, 4]);
  expect(namesOf({ answer: 'no', crossed: true }, 'mars', { answer: 'eu', unproven: true }, 'us')).toEqual([
    3,
  ]);
});

test.each([...unknownParts, ...unknownNotes])('a part of kind $kind', (part) => {
  const isUncertain = unknownParts.includes(part);
  expect(readParts([part], 'provider')).toEqual({ hasUnknown: true, isUncertain });
});

test('an answer that the program of the agent refuses is as invalid as one that the form refuses', () => {
  const given = ['eu', 'us', 'no'].map(givenAnswer);
  const [eu, us] = given as [GivenAnswer, GivenAnswer];
  const form = JSON.stringify(forms.region);
  const isRefused = (messageId: string) => messageId === '0';
  expect(decide(form, [eu, us], isRefused)).toMatchObject({
    state: 'accepted',
    decided: { messageId: '1' },
    invalid: ['0'],
  });
  expect(decide(form, given, isRefused)).toMatchObject({ state: 'declined', invalid: ['0'] });
});

test.each(histories)('what crossed: $name', ({ messages, answer, crossed }) => {
  const seen: ChannelState['seen'] = messages.map(([, ...links], at) => [String(at), 0, ...links]);
  const state = { seen, ends: [], sealed: [], unlisted: [] };
  const linksBy = (role: string) =>
    new Map(messages.flatMap(([by], at) => (by === role ? [[`id ${at}`, String(at)] as const] : [])));
  // Each side knows the messages of the other one.
  expect(isCrossed({ state, others: linksBy('agent') }, String(answer), 'provider')).toBe(crossed);
  expect(isCrossed({ state, others: linksBy('expert') }, String(answer), 'consumer')).toBe(crossed);
});
