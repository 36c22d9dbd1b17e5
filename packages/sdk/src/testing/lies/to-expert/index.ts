import { lieOf, readLies } from '@expert-relay/testkit/lies';
import { aboutMessagesOf } from '../to-both/about-messages.ts';
import { aboutAnswers } from './about-answers.ts';
import { aboutEvents } from './about-events.ts';
import { aboutList } from './about-list.ts';
import { aboutPickUp } from './about-pick-up.ts';
import { aboutRequest } from './about-request.ts';
import type { ExpertLieContext, ExpertRow } from './expert-row.ts';
import { nestedMessages } from './nested-messages.ts';

const valuesOf = ({ attackerKeys, otherConversation, ...values }: ExpertLieContext) => ({
  ...values,
  attacker: attackerKeys,
  other: otherConversation,
});

/** The lies of docs/lies.json: for experts with an API key and with a session. */
export const liesAsData: readonly ExpertRow[] = readLies('expert').map(
  ({ name, situation, expect, alter }) => ({
    name,
    ...situation,
    ...expect,
    lie: (context) => lieOf(alter, valuesOf(context)),
  }),
);

export const liesToExperts: readonly ExpertRow[] = [
  ...liesAsData,
  ...aboutMessagesOf('consumer'),
  ...nestedMessages,
  ...aboutPickUp,
  ...aboutAnswers,
  ...aboutRequest,
  ...aboutList,
  ...aboutEvents,
];
