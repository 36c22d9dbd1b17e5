import type { Form } from '@expert-relay/sdk/forms';
import { exactTexts, longText } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import type { ReactNode } from 'react';
import { StateLine } from './conversation/state-line.tsx';
import { Decision } from './forms/decision.tsx';
import { FormField } from './forms/form-field.tsx';
import { MessageFiles } from './forms/message-files.tsx';
import { describeNews, notificationOf } from './inbox/describe-news.ts';
import { RequestRow } from './inbox/request-row.tsx';
import { requestRow } from './testing/requests.ts';
import { shownText } from './testing/shown-text.tsx';
import { AsWritten } from './text/as-written.tsx';
import { Tags } from './ui/tags.tsx';

/** Each text on each surface of the web app: no character is missing, or stands elsewhere. Only the end may be an ellipsis. */

const row = (change: object): ReactNode => (
  <RequestRow
    row={requestRow(1, change)}
    href="/"
    isCurrent={false}
    isNew={false}
    isTabStop
    isSnoozed={false}
    isFound={false}
    unsent={undefined}
  />
);
const field = (change: object): ReactNode => (
  <FormField
    name="x"
    field={{ type: 'string', title: 'T', ...change } as Form['properties'][string]}
    value={'default' in change ? String(change.default) : ''}
    isRequired
    problem={undefined}
    onChange={() => {}}
  />
);
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
const withSigns = (text: string): string => text.replaceAll('\n', '␊').replaceAll('\t', '␉');
const same = (text: string): string => text;

const surfaces: readonly [string, (text: string) => ReactNode, (text: string) => string, limit?: number][] = [
  ['a conversation, as written', (text) => <AsWritten text={text} />, same],
  ['a row, or a search result', (question) => row({ question }), inOneLine, 160],
  ['the agent’s name in a row', (agentName) => row({ agentName }), same],
  ['a tag in a row', (tag) => row({ tags: [tag] }), same],
  ['a tag', (tag) => <Tags tags={[tag]} />, same],
  [
    'a page notification',
    (question) => notificationOf({ kind: 'request', row: requestRow(1, { question }) }, true).body,
    inOneLine,
    200,
  ],
  [
    'an announcement',
    (question) => describeNews({ kind: 'request', row: requestRow(1, { question }) }),
    inOneLine,
    120,
  ],
  ['the title of a field', (title) => field({ title }), withSigns],
  ['the description of a field', (description) => field({ description }), same],
  ['an option of a field', (option) => field({ enum: [option] }), withSigns],
  ['the default of a field', (text) => field({ default: text }), same],
  [
    'a decision',
    (text) => <Decision answer={{ action: 'accept', content: { x: text } }} form={undefined} />,
    same,
  ],
  [
    'the name of a file',
    (name) => <MessageFiles files={[{ name, mediaType: 'a/b', bytes: new Uint8Array() }]} />,
    same,
  ],
  [
    'why a request was ended',
    (reason) => <StateLine line={{ kind: 'line', key: 'ended', text: 'Ended', at: undefined, reason }} />,
    same,
  ],
];

describe.each(surfaces)('%s', (_surface, show, written, limit = Number.POSITIVE_INFINITY) => {
  test.each(Object.entries(exactTexts))('shows %s', (_name, text) => {
    for (const shown of [text, longText(text)]) {
      const expected = written(shown);
      const end = expected.length > limit ? '…' : '';
      expect(shownText(show(shown))).toContain(expected.slice(0, limit) + end);
    }
  });
});
