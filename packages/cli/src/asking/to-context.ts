import type { ContextMessage } from '@expert-relay/sdk';
import { Failure } from '../failure.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * A conversation in the JSON of OpenAI (chat, responses), Anthropic, LangChain or the AI SDK, as texts. Undefined if it is no
 * conversation: then it is a text like any other.
 *
 * @throws Failure for a part that is not known, since the expert would not see it
 */
export function toContext(json: unknown): ContextMessage[] | undefined {
  const list = isObject(json) ? json.messages : json;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isMessage)) return undefined;
  return list.flatMap((message, index) => {
    const { role, content } = readMessage(message, index + 1);
    return content === '' ? [] : [{ role, content }];
  });
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isMessage = (value: unknown): value is Json => isObject(value) && roleOf(value) !== undefined;

/** The names of roles and of messages' kinds, in lower case. */
const roles: Readonly<Record<string, string>> = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
  human: 'user',
  ai: 'assistant',
  function_call: 'assistant',
  function_call_output: 'tool',
  humanmessage: 'user',
  aimessage: 'assistant',
  systemmessage: 'system',
  toolmessage: 'tool',
};

function roleOf({ role, type, id, kwargs }: Json): string | undefined {
  // LangChain names the class at the end of `id`.
  const name = isObject(kwargs) && Array.isArray(id) ? id.at(-1) : (role ?? type);
  if (typeof name !== 'string') return undefined;
  const known = name.toLowerCase().replace(/messagechunk$/, 'message');
  return Object.hasOwn(roles, known) ? roles[known] : typeof role === 'string' ? role : undefined;
}

function readMessage(message: Json, number: number): ContextMessage {
  const role = roleOf(message) as string;
  const inner = [message.kwargs, message.data].find(isObject) ?? message;
  const { content, parts, tool_calls: calls } = inner;
  const body =
    message.type === 'function_call' || message.type === 'function_call_output'
      ? [message]
      : (parts ?? content);
  const texts = [...readContent(body, number), ...(Array.isArray(calls) ? calls.map(describeCall) : [])];
  return { role, content: texts.filter(Boolean).join('\n') };
}

function readContent(content: unknown, number: number): string[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) throw unknown('a content that is neither a text nor a list', number);
  return content.flatMap((part) => (typeof part === 'string' ? part : (readPart(part, number) ?? [])));
}

/** Undefined for what a person need not see. */
function readPart(part: unknown, number: number): string | undefined {
  if (!isObject(part)) throw unknown('a part that is no object', number);
  const { type } = part;
  const name = String(type);
  if (['text', 'input_text', 'output_text'].includes(name) && typeof part.text === 'string') return part.text;
  if (name === 'refusal' && typeof part.refusal === 'string') return part.refusal;
  if (/^(thinking|redacted_thinking|reasoning|step-start|source-url)$/.test(name)) return undefined;
  if (/^(image|image_url|input_image|audio|input_audio|video|file|input_file|document)$/.test(name))
    return `[${name}: not shown]`;
  if (['tool_use', 'tool-call', 'function_call'].includes(name)) return describeCall(part);
  if (['tool_result', 'tool-result', 'function_call_output'].includes(name))
    return describeResult(part, number);
  if (/^(tool-|dynamic-tool$)/.test(name)) {
    const result = part.output === undefined ? undefined : describeResult(part, number);
    return [describeCall({ ...part, name: part.toolName ?? name.slice('tool-'.length) }), result]
      .filter(Boolean)
      .join('\n');
  }
  throw unknown(`a part of the type ${JSON.stringify(type) ?? 'undefined'}`, number);
}

function describeCall(call: unknown): string {
  const { function: inner, ...outer } = isObject(call) ? call : {};
  const { name, toolName, input, args, arguments: json } = isObject(inner) ? inner : outer;
  return `[calls ${toText(toolName ?? name)}: ${toText(input ?? args ?? json)}]`;
}

function describeResult({ content, output, result }: Json, number: number): string {
  const value = content ?? output ?? result;
  // The AI SDK wraps it: { type: 'text', value }.
  const inner = isObject(value) && 'value' in value ? value.value : value;
  return `[result: ${Array.isArray(inner) ? readContent(inner, number).join('\n') : toText(inner)}]`;
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

const unknown = (what: string, number: number) =>
  new Failure(
    'usage',
    `The context has ${what} (message ${number}), which the expert would not see. Give the messages as [{"role": "user", "content": "..."}], or as text.`,
  );
