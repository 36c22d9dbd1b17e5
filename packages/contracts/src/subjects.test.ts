import { describe, expect, test } from '@jest/globals';
import { typeOfCase } from './event-names.ts';
import { subjectsFor } from './subjects.ts';

describe('subjectsFor', () => {
  test('begins every name with the prefix', () => {
    const subjects = subjectsFor('relay');
    expect(subjects).toMatchObject({
      stream: 'RELAY_EVENTS',
      allEvents: 'relay.v1.>',
      wakeup: 'relay.outbox.wakeup',
    });
    expect(Object.values(typeOfCase).map(subjects.event)).toEqual([
      'relay.v1.new_request',
      'relay.v1.key_exchange',
      'relay.v1.new_message',
      'relay.v1.request_closed',
      'relay.v1.credential_revoked',
      'relay.v1.request_triaged',
    ]);
  });

  test('gives two prefixes different streams', () => {
    expect(subjectsFor('t_1').stream).not.toBe(subjectsFor('t_2').stream);
  });

  test.each(['', 'a.b', 'Relay', 'a b', '>', '*', '-a', 'é', 'a\n', 'x'.repeat(49)])(
    'refuses %j',
    (prefix) => {
      expect(() => subjectsFor(prefix)).toThrow('cannot be a NATS prefix');
    },
  );
});
