import {
  type AssistantModelMessage,
  asSchema,
  type ModelMessage,
  type ToolApprovalRequest,
  type ToolApprovalResponse,
} from 'ai';
import { type ApprovalOptions, decideToolCalls, refusalOf, type ToolDecision } from './decide.ts';
import type { ToolCall } from './tool-call.ts';

type Tools = Readonly<Record<string, { readonly inputSchema: Parameters<typeof asSchema<unknown>>[0] }>>;

export interface AiSdkOptions extends ApprovalOptions {
  /** Those of the agent: the expert edits the arguments by their schemas. */
  readonly tools?: Tools | undefined;
}

interface Waiting {
  readonly request: ToolApprovalRequest;
  readonly call: ToolCall;
}

/** Whether the messages end with calls that wait for an approval. Give them to {@link answerApprovals}. */
export const awaitsApproval = (messages: readonly ModelMessage[]): boolean => requestsIn(messages).length > 0;

/**
 * Asks an expert about each call of a tool with `needsApproval` that waits. Returns the messages with the approvals, with which
 * `generateText`, `streamText` or an agent goes on; without calls that wait, the messages as they are.
 *
 * @throws RelayError as {@link decideToolCalls}: then the messages can be given again later
 *
 * @example
 * messages.push(...result.response.messages);
 * if (awaitsApproval(messages)) {
 *   messages = await answerApprovals(messages, { relay, run: 'job-7', tools });
 *   result = await generateText({ model, tools, messages });
 * }
 */
export async function answerApprovals(
  messages: readonly ModelMessage[],
  { tools = {}, ...options }: AiSdkOptions,
): Promise<ModelMessage[]> {
  const waiting = await Promise.all(
    requestsIn(messages).map((request) => describe(request, messages, tools)),
  );
  if (waiting.length === 0) return [...messages];
  const decisions = await decideToolCalls(
    waiting.map(({ call }) => call),
    options,
  );
  const edits = new Map(waiting.map(({ request }, index) => [request.toolCallId, decisions[index]] as const));
  const content = waiting.map(({ request }, index) => toResponse(request, decisions[index]));
  return [...messages.map((message) => withEdits(message, edits)), { role: 'tool', content }];
}

/** Of the newest turn: what was asked before it is not answered any more. */
function requestsIn(messages: readonly ModelMessage[]): readonly ToolApprovalRequest[] {
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const answered = turn.flatMap(({ role, content }) =>
    role === 'tool'
      ? content.flatMap((part) => (part.type === 'tool-approval-response' ? part.approvalId : []))
      : [],
  );
  return turn
    .flatMap(partsOf)
    .filter((part) => part.type === 'tool-approval-request')
    .filter(({ approvalId }) => !answered.includes(approvalId));
}

async function describe(
  request: ToolApprovalRequest,
  messages: readonly ModelMessage[],
  tools: Tools,
): Promise<Waiting> {
  const call = messages
    .flatMap(partsOf)
    .find((part) => part.type === 'tool-call' && part.toolCallId === request.toolCallId);
  if (call?.type !== 'tool-call') throw new Error(`The messages lack the tool call ${request.toolCallId}.`);
  const tool = Object.hasOwn(tools, call.toolName) ? tools[call.toolName] : undefined;
  // The framework refuses other arguments for a signed request, and for those that a schema has transformed.
  const isFixed = request.signature !== undefined || 'inputSchemaInput' in request || call.providerExecuted;
  const about = {
    // Unlike the id of the call, which some models repeat, the framework makes it.
    id: request.approvalId,
    tool: call.toolName,
    arguments: call.input,
    schema: tool && (await asSchema(tool.inputSchema).jsonSchema),
    canEdit: !isFixed,
  };
  return { request, call: about };
}

const partsOf = ({ role, content }: ModelMessage): Exclude<AssistantModelMessage['content'], string> =>
  role === 'assistant' && typeof content !== 'string' ? content : [];

function toResponse(
  { approvalId }: ToolApprovalRequest,
  decision: ToolDecision | undefined,
): ToolApprovalResponse {
  const approved = decision?.action === 'approve' || decision?.action === 'edit';
  // As the question says: the agent gets the comment only of a decline.
  const reason = approved ? undefined : refusalOf(decision ?? { comment: '' });
  return { type: 'tool-approval-response', approvalId, approved, ...(reason && { reason }) };
}

/** The call itself has the arguments with which the tool runs. */
function withEdits(
  message: ModelMessage,
  decisions: ReadonlyMap<string, ToolDecision | undefined>,
): ModelMessage {
  if (message.role !== 'assistant' || typeof message.content === 'string') return message;
  const content = message.content.map((part) => {
    const decision = part.type === 'tool-call' ? decisions.get(part.toolCallId) : undefined;
    return decision?.action === 'edit' ? { ...part, input: decision.arguments } : part;
  });
  return { ...message, content };
}
