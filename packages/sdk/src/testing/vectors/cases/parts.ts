import { type Part, writeFrame } from '../../../crypto/frame.ts';
import type { Draft } from '../case.ts';
import { forge } from '../forge.ts';
import { seeded } from '../seeded.ts';
import { frame, open, seal } from './messages.ts';

const text = Buffer.from('text');

const part = (kind: number, body: string): Part => ({ kind, body: new Uint8Array(Buffer.from(body)) });
/** The same as a case writes it. */
const written = (kind: number, body: string) => ({ kind, body: Buffer.from(body).toString('hex') });
/** A frame in bytes: no links, the text "Hi", then these. */
const afterText = (...bytes: number[]) => Uint8Array.from([0xf8, 0, 0, 0, 0, 2, 0x48, 0x69, ...bytes]);
const emptyText = [0xf8, 0, 0, 0, 0, 0];

/** Frames with parts. Kinds above 200 mean nothing yet. */
export async function partCases(): Promise<Draft[]> {
  const parts = [written(201, 'first'), written(201, 'second'), written(255, '')];
  const withText = await seal('with parts', 'provider', 'See below.', [], { parts });
  const alone = await seal('a part without a text', 'provider', '', [], { parts: [written(200, 'alone')] });
  const many = Array.from({ length: 16 }, (_, n) => part(200 + n, `${n}`));
  const sealed = (name: string, kinds: readonly number[]) =>
    seal(name, 'consumer', 'text', [], { parts: kinds.map((kind) => written(kind, 'x')) });
  const refused = async (name: string, bytes: Uint8Array) =>
    open(name, 'provider', [await forge({ name, role: 'consumer', frame: bytes })], 'malformed_frame');
  const tooMany = {
    ...(await sealed('with 16 parts', Array(16).fill(200))).draft,
    name: 'sealing: 17 parts',
  };
  if (tooMany.kind !== 'seal') return [];
  return [
    withText.draft,
    alone.draft,
    await open('parts that this version cannot show', 'consumer', [withText.record]),
    await open('a part that this version cannot show, without a text', 'consumer', [alone.record]),
    frame(
      'with three parts, two of one kind',
      writeFrame([], text, [part(201, 'a'), part(201, 'b'), part(202, '')]),
    ),
    frame('with a link and a part', writeFrame([seeded('one')], text, [part(200, 'body')])),
    frame('with a part and no text', writeFrame([], new Uint8Array(), [part(200, '')])),
    frame('with 16 parts', writeFrame([], text, many)),
    frame('with a part, full to the last byte', writeFrame([], text, [part(200, 'x'.repeat(1_008))])),
    frame('with a part, a byte longer', writeFrame([], text, [part(200, 'x'.repeat(1_009))])),
    (await sealed('with 16 parts of one kind', Array(16).fill(200))).draft,
    {
      ...tooMany,
      input: { ...tooMany.input, parts: Array(17).fill(written(200, 'x')) },
      error: 'invalid_input',
    },
    await refused('a frame without its number of parts', afterText()),
    await refused('a frame with 17 parts', afterText(17, ...Array(17).fill([200, 0, 0, 0, 0]).flat())),
    await refused('a frame with parts in descending order', afterText(2, 201, 0, 0, 0, 0, 200, 0, 0, 0, 0)),
    await refused('a frame that is cut off before a kind', afterText(1)),
    await refused('a frame that is cut off in the length of a part', afterText(1, 200, 0, 0, 0)),
    await refused('a frame that is cut off in a part', afterText(1, 200, 0, 0, 0, 2, 0x48)),
    await refused('a frame with a part of the largest length', afterText(1, 200, 255, 255, 255, 255, 0)),
    await refused(
      'a frame with a byte that is not zero behind its parts',
      afterText(1, 200, 0, 0, 0, 1, 0x48, 1),
    ),
    await refused('a frame without a text and without parts', Uint8Array.from([...emptyText, 0])),
    await refused("a plain client's message of nothing", new Uint8Array()),
  ];
}
