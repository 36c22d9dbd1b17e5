import {
  type AssistantModelMessage,
  asSchema,
  jsonSchema,
  type ModelMessage,
  type Tool,
  type ToolApprovalRequest,
  type ToolApprovalResponse,
  tool,
} from 'ai';
import { type AskExpertInput, askExpert, askExpertDefinition } from './ask-expert.ts';
import {
  type ApprovalOptions,
  decideToolCalls,
  refusalOf,
  refuseRepeated,
  type ToolDecision,
} from './decide-tool-calls.ts';
import type { RunOptions } from './run-options.ts';
import { invalidInput, type ToolCall } from './tool-call.ts';

type Tools = Readonly<Record<string, { readonly inputSchema: Parameters<typeof asSchema<unknown>>[0] }>>;

export interface AiSdkOptions extends ApprovalOptions {
  /** Those of the agent: the expert edits the arguments by their schemas. */
  readonly tools?: Tools | undefined;
}

/** Where a part is: the message, and its part. Ids are no names for that, since models repeat them. */
interface Place {
  readonly message: number;
  readonly part: number;
}

interface Waiting {
  readonly request: ToolApprovalRequest;
  readonly call: ToolCall;
  readonly place: Place;
}

/**
 * A tool with which the model asks an expert when it is stuck: see {@link askExpert}.
 *
 * @example
 * const tools = { ask_expert: askExpertTool({ relay, run: 'job-7' }) };
 */
export const askExpertTool = (options: RunOptions): Tool<AskExpertInput, string> =>
  tool({
    description: askExpertDefinition.description,
    inputSchema: jsonSchema<AskExpertInput>(askExpertDefinition.parameters),
    execute: ({ question }, { toolCallId: id, abortSignal: signal }) =>
      askExpert(question, { signal, ...options, id }),
  });

/** Whether the messages end with calls that wait for an approval. Give them to {@link answerApprovals}. */
export const awaitsApproval = (messages: readonly ModelMessage[]): boolean => requestsIn(messages).length > 0;

/**
 * Asks an expert about each call of a tool with `needsApproval` that waits. Returns the messages with the approvals, with which
 * `generateText`, `streamText` or an agent goes on; without calls that wait, the messages as they are.
 *
 * @throws RelayError as {@link decideToolCalls}: then the messages can be given again later. `invalid_input` where it is not clear
 * which call would run, since a model has given two calls of one step the same id
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
  const requests = requestsIn(messages);
  if (requests.length === 0) return [...messages];
  refuseRepeated(requests.map(({ toolCallId }) => toolCallId));
  const waiting = await Promise.all(requests.map((request) => describe(request, messages, tools)));
  const decisions = await decideToolCalls(
    waiting.map(({ call }) => call),
    options,
  );
  const content = waiting.map(({ request }, index) => toResponse(request, decisions[index]));
  const edited = messages.map((message, at) =>
    withEdits(message, (part) => {
      const index = waiting.findIndex(({ place }) => place.message === at && place.part === part);
      return decisions[index];
    }),
  );
  return [...edited, { role: 'tool', content }];
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
  const { call, place } = callOf(request, messages);
  const called = Object.hasOwn(tools, call.toolName) ? tools[call.toolName] : undefined;
  // The framework refuses other arguments for a signed request, and for those that a schema has transformed.
  const isFixed = request.signature !== undefined || 'inputSchemaInput' in request || call.providerExecuted;
  const about = {
    // Unlike the id of the call, which some models repeat, the framework makes it.
    id: request.approvalId,
    tool: call.toolName,
    arguments: call.input,
    schema: called && (await asSchema(called.inputSchema).jsonSchema),
    canEdit: !isFixed,
  };
  return { request, call: about, place };
}

/** The newest call with the id of the request, which is the one that the framework runs. */
function callOf({ toolCallId }: ToolApprovalRequest, messages: readonly ModelMessage[]) {
  const calls = messages.flatMap((message, at) =>
    partsOf(message).flatMap((call, part) =>
      call.type === 'tool-call' && call.toolCallId === toolCallId
        ? [{ call, place: { message: at, part } }]
        : [],
    ),
  );
  const last = calls.at(-1);
  if (!last)
    throw invalidInput(`The messages lack the tool call ${toolCallId}: give all messages of the run.`);
  const ofStep = calls.filter(({ place }) => place.message === last.place.message);
  refuseRepeated(ofStep.map(() => toolCallId));
  return last;
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
  decisionOf: (part: number) => ToolDecision | undefined,
): ModelMessage {
  if (message.role !== 'assistant' || typeof message.content === 'string') return message;
  const content = message.content.map((part, index) => {
    const decision = decisionOf(index);
    return part.type === 'tool-call' && decision?.action === 'edit'
      ? { ...part, input: decision.arguments }
      : part;
  });
  return { ...message, content };
}
