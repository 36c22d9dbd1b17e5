import type { Draft } from '../case.ts';
import { hex, seeded } from '../seeded.ts';

/** What an agent derives from the name of a question: the id of the conversation, and with a secret its keys. */
export function onceKeyCases(): Draft[] {
  const secret = hex(seeded('once'));
  const once = (name: string, input: { secret?: string; name: string }, error?: string): Draft => ({
    name: `once: ${name}`,
    kind: 'once-keys',
    input: { secret, ...input },
    ...(error && { error }),
  });
  const id = (what: string, name: string, error?: string): Draft => ({
    name: `the id of ${what}`,
    kind: 'once-id',
    input: { name },
    ...(error && { error }),
  });
  return [
    id('a name', 'deploy 4711'),
    id('a name as it is: nothing is trimmed or normalised', ' Cafe\u0301\u0000\n'),
    id('the same name in other characters', ' Caf\u00e9\u0000\n'),
    id('a name of 255 bytes', `${'é'.repeat(127)}.`),
    id('a name of 256 bytes', 'é'.repeat(128), 'invalid_input'),
    id('no name', '', 'invalid_input'),
    id('half a character', '\ud83d', 'invalid_input'),
    once('a name', { name: 'deploy 4711' }),
    once('another name', { name: 'deploy 4712' }),
    once('another secret', { secret: hex(seeded('another')), name: 'deploy 4711' }),
    once('a name as it is: nothing is trimmed or normalised', { name: ' Cafe\u0301\u0000\n' }),
    once('the same in other characters', { name: ' Caf\u00e9\u0000\n' }),
    once('a name of 255 bytes', { name: `${'é'.repeat(127)}.` }),
    once('a name of 256 bytes', { name: 'é'.repeat(128) }, 'invalid_input'),
    once('no name', { name: '' }, 'invalid_input'),
    once('half a character in a name', { name: '\ud83d' }, 'invalid_input'),
    once('a secret of 31 bytes', { secret: secret.slice(2), name: 'deploy 4711' }, 'invalid_input'),
    once('a secret of 33 bytes', { secret: `${secret}00`, name: 'deploy 4711' }, 'invalid_input'),
  ];
}
