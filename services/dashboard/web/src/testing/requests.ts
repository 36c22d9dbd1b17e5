import type { RequestView } from '../conversation/conversation-state.ts';
import type { Row } from '../inbox/rows.ts';

const start = Date.parse('2026-11-21T12:00:00.000Z');

const timeOf = (minute: number): string => new Date(start + minute * 60_000).toISOString();

/** A request that was made this many minutes after noon. */
export const requestRow = (minute: number, change: Partial<Row> = {}): Row => ({
  requestId: `request-${minute}`,
  refCode: `HS-${String(minute).padStart(8, '0')}`,
  status: 'pending',
  question: `May I remove lock ${minute}?`,
  responseCount: 0,
  createdAt: timeOf(minute),
  lastActivityAt: timeOf(minute),
  turn: 'expert',
  tags: [],
  expiresAt: '2026-11-25T12:00:00.000Z',
  agent: { keyId: 'key', name: 'build agent' },
  encrypted: true,
  ...change,
});

export const requestView: RequestView = {
  agent: 'laptop agent',
  agentKeyId: 'key',
  agentName: undefined,
  refCode: 'HS-7KQ2M9XD',
  status: 'pending',
  createdAt: '2026-11-21T09:00:00.000Z',
  expiresAt: '2026-11-24T09:00:00.000Z',
  erasedAt: undefined,
  tags: [],
  closedBy: undefined,
  closeReason: undefined,
  question: 'May I?',
  context: [],
  plaintext: undefined,
  encrypted: true,
  isPickedUp: false,
  answerForm: undefined,
  form: undefined,
  decision: undefined,
  decisions: [],
  missingParts: undefined,
};
