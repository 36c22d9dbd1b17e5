import { describe, expect, test } from '@jest/globals';
import { startConversation } from '../testing/start-conversation.ts';
import { ofRole } from '../testing/vectors/cases/messages.ts';
import { forge } from '../testing/vectors/forge.ts';
import { openSide } from '../testing/vectors/run-case.ts';
import { type Bytes, concat, toUtf8, tuple } from './bytes.ts';
import { type Part, writeFrame } from './frame.ts';
import { type KnownParts, readParts, writeParts } from './parts.ts';

const of = new Uint8Array(32).fill(7);
const bytes = Uint8Array.of(0, 255, 128);
const png = { name: 'a screen.png', mediaType: 'image/png', bytes };
const part = (kind: number, ...body: readonly (Uint8Array | string)[]): Part => ({
  kind,
  body: concat(...body.map((one) => (typeof one === 'string' ? toUtf8(one) : one))),
});
const named = (name: string | Uint8Array, mediaType = 'a/b') => part(3, tuple(name, mediaType));
const notUtf8 = Uint8Array.of(0xff);

describe('parts that were written are read again', () => {
  test.each<[string, 'consumer' | 'provider', KnownParts]>([
    ['a form', 'consumer', { form: '{"type":"object"}' }],
    ['a form and two files', 'consumer', { form: '', files: [png, { ...png, bytes: new Uint8Array() }] }],
    ['an answer', 'provider', { answer: { of, json: '{"action":"decline"}' } }],
    ['an answer and eight files', 'provider', { answer: { of, json: '' }, files: Array(8).fill(png) }],
    ['a name of 255 bytes', 'provider', { files: [{ ...png, name: 'é'.repeat(127).concat('/') }] }],
    ['a name with anything', 'consumer', { files: [{ ...png, name: '../\0\u202e\ufeff\n' }] }],
    ['a type of 127 bytes', 'consumer', { files: [{ ...png, mediaType: `a/${'b'.repeat(125)}` }] }],
    ['files of 700,000 bytes', 'consumer', { files: [{ ...png, bytes: new Uint8Array(700_000) }] }],
  ])('%s', async (_, role, parts) => {
    const written = writeParts(parts);
    expect(readParts(written, role)).toEqual({ ...parts, hasUnknown: false });
    const conversation = await startConversation();
    const [agent, expert] = [await conversation.agent(), await conversation.expert()];
    const [from, to] = role === 'consumer' ? [agent, expert] : [expert, agent];
    const opened = await to.channel.open(await from.send('', { parts: written }));
    expect(readParts(opened.parts, role)).toEqual({ ...parts, hasUnknown: false });
  });

  test('beside parts whose kind is unknown', () => {
    expect(readParts([part(0), ...writeParts({ files: [png] }), part(4), part(255)], 'consumer')).toEqual({
      files: [png],
      hasUnknown: true,
    });
  });
});

describe('parts that break a rule', () => {
  const refused: [string, 'consumer' | 'provider', readonly Part[]][] = [
    ['a form of the expert', 'provider', [part(1, '{}')]],
    ['two forms', 'consumer', [part(1, '{}'), part(1, '{}')]],
    ['a form that is not UTF-8', 'consumer', [part(1, notUtf8)]],
    ['an answer of the agent', 'consumer', [part(2, of, '{}')]],
    ['two answers', 'provider', [part(2, of, '{}'), part(2, of, '{}')]],
    ['an answer that is cut off in `of`', 'provider', [part(2, of.subarray(1))]],
    ['an answer that is not UTF-8', 'provider', [part(2, of, notUtf8)]],
    ['nine files', 'provider', Array(9).fill(named('a'))],
    ['a file without anything', 'consumer', [part(3)]],
    ['a file that is cut off in its name', 'consumer', [part(3, Uint8Array.of(0, 0, 0, 2, 65))]],
    ['a file without a media type', 'consumer', [part(3, tuple('a'))]],
    ['a file without a name', 'consumer', [named('')]],
    ['a name of 256 bytes', 'consumer', [named('é'.repeat(128))]],
    ['a name that is not UTF-8', 'consumer', [named(notUtf8)]],
    ['a media type that is not UTF-8', 'consumer', [part(3, tuple('a', notUtf8))]],
    ...['', 'image', '/png', 'image/', 'a/b/c', 'a/b;c=d', 'a /b', 'ä/b', 'a/\u212a', '.a/b', 'a/b\n'].map(
      (type): [string, 'consumer', Part[]] => [
        `the media type ${JSON.stringify(type)}`,
        'consumer',
        [named('a', type)],
      ],
    ),
    ['a media type of 128 bytes', 'consumer', [named('a', `a/${'b'.repeat(126)}`)]],
  ];

  test.each(refused)('%s is refused by its reader, and before it is sent', async (name, role, parts) => {
    const record = await forge({ name, role, frame: writeFrame([], toUtf8('text'), parts) });
    const reader = await openSide(await ofRole[role === 'consumer' ? 'provider' : 'consumer'](), false);
    await expect(reader.channel?.open(record)).rejects.toMatchObject({ code: 'malformed_frame' });
    const conversation = await startConversation();
    const { channel } = role === 'consumer' ? await conversation.agent() : await conversation.expert();
    await expect(channel.seal('text', { parts })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  const big = (length: number): Bytes => new Uint8Array(length);
  test.each<[string, KnownParts, string]>([
    ['a form of 8,193 bytes', { form: 'x'.repeat(8_193) }, 'invalid_input'],
    ['an answer of 65,537 bytes', { answer: { of, json: 'x'.repeat(65_537) } }, 'invalid_input'],
    ['an answer to nothing', { answer: { of: big(31), json: '{}' } }, 'invalid_input'],
    ['a lone surrogate', { form: '\ud800' }, 'invalid_input'],
    ['files of 700,001 bytes', { files: [png, { ...png, bytes: big(699_998) }] }, 'message_too_large'],
  ])('%s is not written', (_, parts, code) => {
    expect(() => writeParts(parts)).toThrow(expect.objectContaining({ code }));
  });
});
