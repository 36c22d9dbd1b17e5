import type { Form } from '@expert-relay/sdk/forms';

/** What is asked, and how. */
export interface Way {
  readonly name: string;
  readonly question: string;
  readonly form?: Form;
  /** The form's values, as the expert fills them in. */
  readonly content?: Readonly<Record<string, string | number>>;
  readonly isConfidential: boolean;
  readonly hasFile: boolean;
  readonly isNamed: boolean;
  /** The agent has no keys. */
  readonly isPlain: boolean;
}

export const file = { name: 'log.txt', text: 'It hangs.' };

const kinds = {
  question: { question: 'Why?' },
  // The rule of the bots that approve.
  approval: {
    question: 'Restart web in staging?',
    form: { type: 'object', properties: {} },
    content: {},
  },
  // The form that --choice makes.
  choice: {
    question: 'Where?',
    form: {
      type: 'object',
      properties: { choice: { type: 'string', enum: ['eu', 'us'] } },
      required: ['choice'],
    },
    content: { choice: 'eu' },
  },
  form: {
    question: 'How many?',
    form: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
    content: { count: 2 },
  },
} satisfies Record<string, Pick<Way, 'question' | 'form' | 'content'>>;

type Kind = keyof typeof kinds;
type Property = 'confidential' | 'file' | 'name' | 'plain text';

export const wayOf = (kind: Kind, ...properties: readonly Property[]): Way => ({
  name: [kind, ...properties].join(', '),
  ...kinds[kind],
  isConfidential: properties.includes('confidential'),
  hasFile: properties.includes('file'),
  isNamed: properties.includes('name'),
  isPlain: properties.includes('plain text'),
});

/** Each two of kind, confidential, file and name, with and without, are together in one of these. */
export const pairs = (Object.keys(kinds) as Kind[]).flatMap((kind, number) =>
  [0, 1].map((bit) =>
    wayOf(
      kind,
      ...(bit ? (['confidential'] as const) : []),
      ...(bit !== number % 2 ? (['file'] as const) : []),
      ...(bit !== Math.floor(number / 2) ? (['name'] as const) : []),
    ),
  ),
);
