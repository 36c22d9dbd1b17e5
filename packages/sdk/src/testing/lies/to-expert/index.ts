import { aboutAnswers } from './about-answers.ts';
import { aboutEvents } from './about-events.ts';
import { aboutKeys } from './about-keys.ts';
import { aboutCode, aboutList } from './about-list.ts';
import { aboutMemory } from './about-memory.ts';
import { aboutMessages } from './about-messages.ts';
import { aboutPickUp } from './about-pick-up.ts';
import { aboutRequest } from './about-request.ts';
import type { ExpertRow } from './expert-row.ts';
import { malformedMessages } from './malformed-messages.ts';

export const liesToExperts: readonly ExpertRow[] = [
  ...aboutKeys,
  ...aboutMemory,
  ...aboutPickUp,
  ...aboutMessages,
  ...malformedMessages,
  ...aboutAnswers,
  ...aboutRequest,
  ...aboutList,
  ...aboutCode,
  ...aboutEvents,
];
