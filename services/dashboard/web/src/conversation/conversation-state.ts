import type { Message } from '@expert-relay/sdk';
import type { Expert, ExpertRequest, PendingAnswer as WaitingAnswer } from '@expert-relay/sdk/expert';
import type { Connection } from '../relay/connection.ts';
import type { AnswerContent } from './answer-content.ts';
import type { FailureCode } from './failure-codes.ts';

const shownNames = [
  'agent',
  'agentKeyId',
  'agentName',
  'refCode',
  'status',
  'createdAt',
  'expiresAt',
  'erasedAt',
  'tags',
  'closedBy',
  'closeReason',
  'question',
  'context',
  'plaintext',
  'encrypted',
  'isPickedUp',
  'form',
  'decision',
  'decisions',
  'missingParts',
  'answerForm',
] as const;

/** The shown members of a request besides its messages. */
export type RequestView = Pick<ExpertRequest, (typeof shownNames)[number]>;

/** The part of the SDK's request that a conversation uses. */
export type RequestHandle = RequestView &
  Pick<ExpertRequest, 'pending' | 'messages' | 'pickUp' | 'answer' | 'discard' | 'refresh' | 'close'>;

/** The part of the SDK's expert that a conversation uses. */
export interface ConversationExpert extends Pick<Expert, 'pendingAnswer' | 'removePendingAnswer'> {
  request(requestId: string, options: { readonly signal: AbortSignal }): Promise<RequestHandle>;
}

/** The answer of this expert that is not sent yet. */
export interface PendingAnswer extends AnswerContent, Pick<WaitingAnswer, 'messageId'> {
  /** `sending`: this tab is sending it. The others are those of the SDK. */
  readonly state: WaitingAnswer['state'] | 'sending';
  readonly code?: FailureCode | undefined;
  /** It is sent in a moment, and can be taken back until then. */
  readonly canUndo?: boolean;
}

export interface ConversationState {
  /** Undefined until it is read. */
  readonly request: RequestView | undefined;
  readonly messages: readonly Message[];
  readonly pending: PendingAnswer | undefined;
  /** Answers that the relay has, and the list of messages does not show yet. */
  readonly sent: readonly PendingAnswer[];
  /** Why the last answer was given back to the expert. */
  readonly notTaken: FailureCode | undefined;
  /** The texts whose ends the expert has been shown: see `shown-texts`. */
  readonly shown: ReadonlySet<string>;
  /** Those of the others whose ends are in view now, so that they will count as shown within a second. */
  readonly inView: ReadonlySet<string>;
  /** The error of the last read. */
  readonly failure: FailureCode | undefined;
  /** A check of the conversation failed: nothing more is shown or sent until the expert has decided. */
  readonly refusal: FailureCode | undefined;
  /** Its messages can be read only with the expert key. */
  readonly needsKey: boolean;
}

export const viewOf = (request: RequestHandle): RequestView =>
  Object.fromEntries(shownNames.map((name) => [name, request[name]])) as unknown as RequestView;

/** Whether two views have the same content. */
export const isSameView = (one: RequestView | undefined, other: RequestView): boolean =>
  one !== undefined && shownNames.every((name) => isSame(one[name], other[name]));

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));

/** Whether an answer is shown among the messages: nothing is wrong with it yet. */
export const isOnItsWay = ({ state, canUndo }: PendingAnswer, connected: Connection['kind']): boolean =>
  canUndo === true || (state === 'sending' && connected === 'online');
