import { placeTags } from '@expert-relay/contracts';
import { raw } from '../postgres/sql.ts';

const sign = (code: number) => `chr(${code})`;
/** A tag, how long the text after it is, and the text. */
const field = (tag: number, length: string, text: string) => `${sign(tag)} || chr(${length}) || ${text}`;

const lengths = { user: '36', request: 'length(request_id)', refCode: '(length(ref_code) + 3)' };
/** A tag and a length stand before each of the three texts; a tag and three bytes are the number. */
const whole = [...Object.values(lengths), 3 * 2 + 4].join(' + ');

/**
 * One of an event's `requests` as bytes, made by Postgres of the columns `user_id`, `request_id`, `ref_code` and
 * `seq`. As texts, of ASCII: shorter than 128 all of them and together, so that each length is one byte. The number is
 * a varint of three bytes, whatever it is; a conversation ends long before two million.
 */
export const placeBytes = raw(`
  convert_to(${[
    field(placeTags.request, whole, field(placeTags.userId, lengths.user, 'user_id::text')),
    field(placeTags.requestId, lengths.request, 'request_id'),
    field(placeTags.refCode, lengths.refCode, `'HS-' || ref_code`),
  ].join(' || ')}, 'UTF8') ||
  int4send((${placeTags.seq} << 24) | ((seq & 127 | 128) << 16) | ((seq >> 7 & 127 | 128) << 8) | (seq >> 14))`);
