import type { ExpertKeys } from '../crypto/expert-keys.ts';
import { isRefusal } from '../crypto/refusal.ts';
import { readForm } from '../forms/decide.ts';
import { type Form, isApproval } from '../forms/form.ts';
import type { RelayError } from '../relay-error.ts';
import type { ContextMessage, RequestNotes, RequestState } from '../request-state.ts';
import { type Head, readHead } from '../thread/page.ts';
import { type Members, members, unexpected } from '../transport/shape.ts';
import { noQuestion, type Question, readQuestion } from './question.ts';
import type { RequestMemory } from './request-memory.ts';

/** A request in an expert's list. Its question was compared with the first one that was shown, and is remembered. */
export interface ListedQuestion extends RequestState, RequestNotes {
  /** The name of the agent's key, as the relay states it. */
  readonly agent: string | undefined;
  /** The name that the agent gave itself. It is signed with the question. */
  readonly agentName: string | undefined;
  /** The whole question. */
  readonly question: string;
  readonly context: readonly ContextMessage[];
  readonly plaintext: string | undefined;
  /**
   * What the agent has written since the last answer, if it is short and can be read here: a preview, whose place in the conversation is
   * checked when the request is read.
   */
  readonly newestText: string | undefined;
  /** What the question asks for, besides words: an approval, or a form with fields. Also if the form cannot be shown. */
  readonly form: 'approval' | 'form' | undefined;
  /** The form that came with the question, signed with it. Undefined also if it cannot be shown. */
  readonly answerForm: Form | undefined;
  /** Whether the agent has sent keys. Then answers can be encrypted. Undefined once the content was erased. */
  readonly encrypted: boolean | undefined;
  /** When the relay erased the content, some time after the end. ISO 8601, UTC. */
  readonly erasedAt: string | undefined;
  /**
   * Why nothing of this request may be trusted: its question, its keys or its code have changed since they were first
   * shown. Then question, context and names are empty.
   */
  readonly refused: RelayError | undefined;
}

/** Reads a row of the list. Without its content nothing could be compared. */
export function readRow(row: Members): Head {
  const head = readHead(row);
  if (head.erasedAt === undefined && !Array.isArray(row.context)) unexpected('the content of each request');
  return head;
}

/** What rows are checked with. */
export interface Checking {
  readonly requestMemory: RequestMemory;
  readonly keys: () => Promise<ExpertKeys> | undefined;
}

/** Checks rows of the relay's list, which was read with `content=true`, before they are shown. */
export async function checkRows(
  checking: Checking,
  rows: readonly unknown[],
): Promise<readonly ListedQuestion[]> {
  return await Promise.all(rows.map((row) => checkRow(checking, readRow(members(row)))));
}

export async function checkRow({ requestMemory, keys }: Checking, head: Head): Promise<ListedQuestion> {
  if (head.erasedAt !== undefined) return listed(head, noQuestion);
  try {
    const first = await requestMemory.check(head);
    const question = listed(head, readQuestion(head.asked));
    if (!head.newestMessage) return question;
    const { readNewestText } = await import('./newest-text.ts');
    return { ...question, newestText: await readNewestText(head, first, await keys()) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const nothing = { agent: undefined, tags: [], closeReason: undefined };
    return { ...listed(head, noQuestion), ...nothing, refused: error };
  }
}

function listed(head: Head, { answerForm: json, ...question }: Question): ListedQuestion {
  const { requestId, refCode, status, responseCount, createdAt, expiresAt, agent, erasedAt } = head;
  const { tags, closedBy, closeReason } = head;
  const encrypted = erasedAt === undefined ? head.consumerKeys !== undefined : undefined;
  const state = { requestId, refCode, status, responseCount, createdAt, expiresAt };
  const notes = { tags, closedBy, closeReason, agent };
  const about = {
    ...state,
    ...notes,
    ...question,
    encrypted,
    erasedAt,
    newestText: undefined,
    refused: undefined,
  };
  if (json === undefined) return { ...about, form: undefined, answerForm: undefined };
  const answerForm = readForm(json);
  return { ...about, form: answerForm && isApproval(answerForm) ? 'approval' : 'form', answerForm };
}
