import { type ToolRunnableConfig, tool } from '@langchain/core/tools';
import { toJsonSchema } from '@langchain/core/utils/json_schema';
import { type AskExpertInput, askExpert, askExpertDefinition } from './ask-expert.ts';
import {
  type ApprovalOptions,
  allOrStop,
  decideToolCalls,
  refusalOf,
  refuseRepeated,
  type ToolDecision,
} from './decide-tool-calls.ts';
import { questionName, type RunOptions } from './run-options.ts';
import { invalidInput, type ToolCall } from './tool-call.ts';

/** An element of `__interrupt__`, or of a task's `interrupts` in the state of a thread. */
interface Interrupt {
  readonly id?: string | undefined;
  readonly value?: unknown;
}

/** What `humanInTheLoopMiddleware` of LangChain interrupts with. */
interface MiddlewareRequest {
  readonly actionRequests: readonly {
    readonly name: string;
    readonly args: Record<string, unknown>;
    readonly description?: string;
  }[];
  readonly reviewConfigs: readonly {
    readonly actionName: string;
    readonly allowedDecisions: readonly string[];
    readonly argsSchema?: Record<string, unknown>;
  }[];
}

/** What graphs for Agent Inbox interrupt with: `HumanInterrupt` of LangGraph. */
interface InboxRequest {
  readonly action_request: { readonly action: string; readonly args: Record<string, unknown> };
  readonly config: {
    readonly allow_accept: boolean;
    readonly allow_edit: boolean;
    readonly allow_respond: boolean;
    readonly allow_ignore: boolean;
  };
  readonly description?: string;
}

/** The calls of one interrupt, and how their decisions become the value with which the graph goes on. */
interface CallReview {
  readonly calls: readonly ToolCall[];
  resume(decisions: readonly ToolDecision[]): unknown;
}

/** A text is a question, and the graph goes on with the words of the answer. */
type Review = CallReview | string;

/**
 * A tool with which the model asks an expert when it is stuck: see {@link askExpert}.
 *
 * @example
 * const agent = createAgent({ model, tools: [askExpertTool({ relay, run: threadId })] });
 */
export const askExpertTool = (options: RunOptions) =>
  tool(
    (input, { toolCall, signal }: ToolRunnableConfig) =>
      askExpert((input as AskExpertInput).question, { signal, ...options, id: toolCall?.id }),
    {
      name: askExpertDefinition.name,
      description: askExpertDefinition.description,
      schema: askExpertDefinition.parameters,
    },
  );

/** A tool of the agent, as far as its schema is needed. */
interface NamedTool {
  readonly name: string;
  readonly schema: Parameters<typeof toJsonSchema>[0];
}

export interface LangGraphOptions extends ApprovalOptions {
  /** Those of the agent: the expert edits the arguments by their schemas. */
  readonly tools?: readonly NamedTool[] | undefined;
}

/**
 * Asks an expert about everything for which a graph was interrupted: tool calls of `humanInTheLoopMiddleware`, requests in the form of
 * Agent Inbox, and questions that are a text. Returns what `new Command({ resume })` takes.
 *
 * @throws RelayError as {@link decideToolCalls}: then the thread stays interrupted, and can be answered later
 *
 * @example
 * let result = await agent.invoke(input, config);
 * while (result.__interrupt__) {
 *   const resume = await answerInterrupts(result.__interrupt__, { relay, run: threadId });
 *   result = await agent.invoke(new Command({ resume }), config);
 * }
 */
export async function answerInterrupts(
  interrupts: readonly Interrupt[],
  { tools = [], ...options }: LangGraphOptions,
): Promise<Record<string, unknown>> {
  const reviews = interrupts.map((one) => [idOf(one), reviewOf(one)] as const);
  refuseRepeated(reviews.map(([id]) => id));
  const withSchema = (call: ToolCall): ToolCall => {
    const called = tools.find(({ name }) => name === call.tool);
    return called ? { ...call, schema: toJsonSchema(called.schema) } : call;
  };
  const answer = async ([id, review]: (typeof reviews)[number], signal: AbortSignal) => {
    if (typeof review === 'string')
      return [id, await askInWords(id, review, { ...options, signal })] as const;
    const decisions = await decideToolCalls(review.calls.map(withSchema), { ...options, signal });
    return [id, review.resume(decisions)] as const;
  };
  const answers = await allOrStop(options.signal, (signal) => reviews.map((one) => answer(one, signal)));
  return Object.fromEntries(answers);
}

/** The conversation stays open: a restarted process has the answer again. */
async function askInWords(
  id: string,
  question: string,
  { relay, run, timeoutMs, agent: _agent, onReply: _onReply, ...asking }: ApprovalOptions,
): Promise<string> {
  const conversation = await relay.ask({ ...asking, question, once: questionName(run, id) });
  const { text } = await conversation.waitForAnswer({ timeoutMs, signal: asking.signal });
  return text;
}

function idOf({ id }: Interrupt): string {
  if (id === undefined) throw invalidInput('An interrupt without an id cannot be answered: use LangGraph 1.');
  return id;
}

function reviewOf(interrupt: Interrupt): Review {
  const { value } = interrupt;
  const id = idOf(interrupt);
  if (typeof value === 'string') return value;
  if (isMiddlewareRequest(value)) return reviewActions(id, value);
  const requests = Array.isArray(value) ? value : [value];
  if (requests.length > 0 && requests.every(isInboxRequest)) return reviewInbox(id, requests);
  throw invalidInput(
    'This interrupt is neither of humanInTheLoopMiddleware, nor in the form of Agent Inbox, nor a text. Ask about it with `decideToolCalls` or `relay.ask`, and resume the graph with the answer.',
  );
}

function reviewActions(id: string, { actionRequests, reviewConfigs }: MiddlewareRequest): CallReview {
  const calls = actionRequests.map(({ name, args, description }, index) => {
    const { allowedDecisions = [], argsSchema } = reviewConfigs[index] ?? {};
    return {
      id: `${id}/${index}`,
      tool: name,
      arguments: args,
      schema: argsSchema,
      description: withoutArguments(description, args),
      canEdit: allowedDecisions.includes('edit'),
    };
  });
  const toDecision = (decision: ToolDecision, index: number) => {
    const { allowedDecisions = [] } = reviewConfigs[index] ?? {};
    const { name = '', args } = actionRequests[index] ?? {};
    const allows = (type: string) => allowedDecisions.includes(type);
    if (decision.action === 'decline' && allows('reject'))
      return { type: 'reject', message: refusalOf(decision) };
    if (decision.action === 'approve' && allows('approve')) return { type: 'approve' };
    if (decision.action === 'decline' || !allows('edit')) throw notAllowed(name, decision);
    const edited = decision.action === 'edit' ? decision.arguments : args;
    return { type: 'edit', editedAction: { name, args: edited } };
  };
  return { calls, resume: (decisions) => ({ decisions: decisions.map(toDecision) }) };
}

const notAllowed = (tool: string, { action }: ToolDecision) =>
  invalidInput(
    `The graph does not allow what the expert has decided about ${tool} (${action}): change the configuration of its interrupts.`,
  );

/** Without a description of its own the middleware repeats the arguments, which the question shows. */
const withoutArguments = (description: string | undefined, args: unknown): string | undefined =>
  description?.includes(JSON.stringify(args, undefined, 2)) ? undefined : description;

function reviewInbox(id: string, requests: readonly InboxRequest[]): CallReview {
  const calls = requests.map(({ action_request: { action, args }, config, description }, index) => {
    if (!config.allow_accept && !config.allow_edit)
      throw invalidInput(
        'This interrupt allows neither to accept nor to edit: ask in words, with `relay.ask`.',
      );
    return {
      id: `${id}/${index}`,
      tool: action,
      arguments: args,
      description,
      canEdit: config.allow_edit,
    };
  });
  const toResponse = (decision: ToolDecision, index: number) => {
    const { action_request: request, config } = requests[index] as InboxRequest;
    if (decision.action === 'edit') return { type: 'edit', args: { ...request, args: decision.arguments } };
    if (decision.action === 'approve')
      return config.allow_accept ? { type: 'accept', args: null } : { type: 'edit', args: request };
    if (config.allow_respond) return { type: 'response', args: refusalOf(decision) };
    if (config.allow_ignore) return { type: 'ignore', args: null };
    throw notAllowed(request.action, decision);
  };
  return { calls, resume: (decisions) => decisions.map(toResponse) };
}

const has = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name);

const isMiddlewareRequest = (value: unknown): value is MiddlewareRequest =>
  has(value, 'actionRequests') && has(value, 'reviewConfigs');

const isInboxRequest = (value: unknown): value is InboxRequest =>
  has(value, 'action_request') && has(value, 'config');
