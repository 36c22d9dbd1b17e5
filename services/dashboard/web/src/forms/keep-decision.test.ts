import { expect, test } from '@jest/globals';
import type { Draft } from '../storage/drafts.ts';
import { createStore } from '../ui/store.ts';
import { type FormDraft, readFormDraft } from './form-draft.ts';
import { keepDecision } from './keep-decision.ts';

const form = { type: 'object', properties: { why: { type: 'string' } } } as const;

test('a decision that goes back to the expert keeps what was filled in for other forms', async () => {
  const text = createStore('');
  const draft = { text, write: text.set, save: async () => {} } as unknown as Draft;
  const filledIn = { of: 'newer', values: { why: 'Newer.' }, comment: '' };
  const earlier = { of: 'oldest', values: { why: 'Oldest.' }, comment: '' };
  text.set(JSON.stringify({ ...filledIn, earlier: [earlier] } satisfies FormDraft));
  const decide = (of: string, comment: string) =>
    keepDecision(
      {
        text: comment,
        answer: { of, action: 'accept', content: { why: 'Held.' } },
      },
      form,
      draft,
    );
  await decide('held', 'Soon.');
  const kept = { of: 'held', values: { why: 'Held.' }, comment: 'Soon.' };
  expect(readFormDraft(text.get())).toEqual({ ...kept, earlier: [earlier, filledIn] });
  // The same decision again, after its draft was stored.
  await decide('held', 'Later.');
  expect(readFormDraft(text.get())).toEqual({ ...kept, comment: 'Later.', earlier: [earlier, filledIn] });
});
