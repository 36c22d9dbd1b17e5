import type { Draft } from '../case.ts';
import { hex, seeded } from '../seeded.ts';
import { open, seal, toSeal } from './messages.ts';

/**
 * A message links to what had been shown when its text was written, and to the own later ones: not to all that the client
 * has read.
 */
export async function shownCases(): Promise<Draft[]> {
  const question = await seal('shown: a question', 'consumer', 'May I delete the test database?');
  const wait = await seal('shown: wait', 'consumer', 'WAIT: may I also delete PRODUCTION?', [
    question.record,
  ]);
  const read = [question.record, wait.record];
  const late = await seal('a text that was written before the last message', 'provider', 'Yes.', read, {
    shown: [question.link],
  });
  const early = toSeal('the first of two texts that waited', 'One.');
  const second = await seal(
    'the second of two texts that waited',
    'provider',
    'Two.',
    [...read, { ...early, shown: [question.link] }],
    { shown: [question.link] },
  );
  const first = await seal('the first of two texts that waited', 'provider', 'One.', read, {
    shown: [question.link],
  });
  const answer = await seal('shown: an answer to the first', 'consumer', 'Thanks.', [...read, first.record]);
  const phone = await seal('shown: from the phone', 'provider', 'No!', read);
  const all = [question.link, wait.link];
  const crossing = await seal('shown: at the same time as wait', 'provider', 'Which one?', [question.record]);
  const crossed = [...read, crossing.record];
  const third = await seal('shown: behind wait', 'consumer', 'Well?', read);
  const drafts = [
    late,
    second,
    await seal('with every message shown', 'provider', 'No.', read, { shown: all }),
    await seal('with every message shown, named the other way round', 'provider', 'No?', read, {
      shown: all.toReversed(),
    }),
    await seal('with only the last message named', 'provider', 'No!', read, { shown: [wait.link] }),
    await seal('with one message named twice', 'provider', 'Hm.', read, {
      shown: [question.link, question.link],
    }),
    await seal('with two loose ends, named the other way round', 'provider', 'Both?', crossed, {
      shown: [crossing.link, wait.link],
    }),
    await seal(
      'with the first and the last of three messages named',
      'provider',
      'Three?',
      [...read, third.record],
      {
        shown: [question.link, third.link],
      },
    ),
    await seal('with nothing shown', 'provider', 'Hello?', read, { shown: [] }),
    await seal(
      'after an answer to the own message was shown',
      'provider',
      'Well.',
      [...[...read, { ...early, shown: [question.link] }, first.record, answer.record]],
      { shown: [answer.link] },
    ),
    await seal(
      'with a message of another own device that was not shown',
      'provider',
      'Well?',
      [...[...read, phone.record]],
      { shown: [question.link] },
    ),
    await seal(
      'with a message of another own device that was shown',
      'provider',
      'Well...',
      [...[...read, phone.record]],
      { shown: [phone.link] },
    ),
    await seal('as if everything had been shown', 'provider', 'Well!', [...read, phone.record]),
  ].map(({ draft }) => draft);
  const [asked, asking] = [
    toSeal('shown: a question', 'May I delete the test database?'),
    toSeal('shown: wait', 'WAIT: may I also delete PRODUCTION?'),
  ];
  return [
    ...drafts,
    await open('an answer that was sealed after the last message and written before it', 'consumer', [
      ...[asked, asking, question.record, wait.record, late.record],
    ]),
    await open('two texts that waited, with the link between them', 'consumer', [
      ...[asked, asking, question.record, wait.record, first.record, second.record],
    ]),
    await open(
      'the second of two texts that waited, without the first',
      'consumer',
      [asked, asking, question.record, wait.record, second.record],
      'message_missing',
    ),
    ...unknownShown(late.draft),
  ];
}

/** The same text, of which it is said that a message had been shown that the list does not have. */
function unknownShown(draft: Draft): Draft[] {
  if (draft.kind !== 'seal') return [];
  const name = 'sealing: after a message was shown that the list does not have';
  const input = { ...draft.input, shown: [...(draft.input.shown ?? []), hex(seeded('nowhere'))] };
  return [{ ...draft, name, input, error: 'message_missing' }];
}
