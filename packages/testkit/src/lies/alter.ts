import type { Call, Json, Lie } from '../lying-relay.ts';
import { eraseContent, flipBit, randomBase64 } from './alter-list.ts';
import type { Alteration, Change } from './lie-table.ts';

/** What a text that begins with `$` stands for, by its path: `$attacker.sign`. */
export type Values = Readonly<Record<string, unknown>>;

const subjects: Readonly<Record<Alteration['in'], (call: Call, values: Values) => boolean>> = {
  submit: ({ path }) => path === '/api/v1/help',
  submitted: ({ path }) => path === '/api/v1/help',
  exchange: ({ path }) => path.includes('key-exchange'),
  conversation: ({ path, method }) =>
    method === 'GET' && /^\/api\/(v1\/messages|requests)\/[\w-]+(\?|$)/.test(path),
  'other conversation': (call, values) =>
    subjects.conversation(call, values) && call.path.includes(String(values.otherRequestId)),
  requests: ({ path }) => /^\/api\/(v1\/)?requests\?/.test(path),
  code: ({ path }) => path.includes('/by-ref/'),
};

/** The lie that makes these alterations. */
export function lieOf(alterations: readonly Alteration[], given: Values): Lie {
  // One id for each lie, so that an altered message is the same each time that it is listed.
  const values: Record<string, unknown> = { ...given, uuid: crypto.randomUUID() };
  const alter = alterations.map((one) => [one, alterAnswer(one, values)] as const);
  return {
    call(call) {
      for (const name of ['submit', 'exchange'] as const) {
        if (call.method !== 'POST' || !subjects[name](call, values)) continue;
        values[name] = structuredClone(call.body);
        for (const one of alterations) if (one.in === name) change(call.body, one, values);
      }
    },
    answer(answer, call) {
      for (const [one, run] of alter) {
        const isCall = one.in === 'submit' || one.in === 'exchange';
        if (!isCall && subjects[one.in](call, values)) run(answer);
      }
      return answer;
    },
  };
}

function alterAnswer(alteration: Alteration, values: Values): (answer: Json) => void {
  const { when, each, message, messages, erase } = alteration;
  const ids: unknown[] = [];
  let count = 0;
  return (answer) => {
    const list = answer.messages as Json[];
    // Errors of the relay are passed on.
    const isExpected = alteration.in.endsWith('conversation')
      ? Array.isArray(list)
      : !each || Array.isArray(answer.requests);
    if (!isExpected) return;
    count += 1;
    if (when === 'exchanged' && !answer.providerSignPubKey) return;
    if (when === 'not exchanged' && answer.providerSignPubKey) return;
    if (when === 'after the first' && count === 1) return;
    if (typeof when === 'object' && !(Number(list?.[0]?.seq) > when.seqAbove)) return;
    if (each) {
      for (const one of answer.requests as Json[]) change(one, alteration, values);
    } else if (message) {
      for (const one of list.filter(({ role }) => role === message.role)) {
        if (!ids.includes(one.messageId)) ids.push(one.messageId);
        if (ids.indexOf(one.messageId) === message.index) alterMessage(one, list, alteration, values);
      }
    } else {
      if (messages !== undefined) alterMessages(answer, messages, values);
      if (erase) eraseContent(list, answer);
      change(answer, alteration, { ...values, answer });
    }
  };
}

function alterMessage(message: Json, list: Json[], alteration: Change, values: Values): void {
  const { drop, copy } = alteration;
  if (drop) list.splice(list.indexOf(message), 1);
  else if (copy) {
    const copied = structuredClone(message);
    change(copied, copy, values);
    list.push(copied);
  } else change(message, alteration, values);
}

function alterMessages(answer: Json, messages: NonNullable<Alteration['messages']>, values: Values): void {
  const list = answer.messages as Json[];
  if (messages === 'repeat') list.push(...structuredClone(list));
  else if (messages === 'reverse') list.reverse();
  else if ('swap' in messages) {
    const [one, other] = messages.swap.map((at) => list[at]);
    if (one && other) [one.seq, other.seq] = [other.seq, one.seq];
  } else if ('keep' in messages) list.splice(messages.keep);
  else if ('first' in messages) list.unshift({ ...(resolve(messages.first, values) as Json), seq: 2 });
  else answer.messages = resolve(messages, values);
}

function change(target: Json, { set, remove, flip, cut, upper }: Change, values: Values): void {
  for (const [path, value] of Object.entries(set ?? {})) put(target, path, resolve(value, values));
  for (const path of remove ?? []) put(target, path, undefined);
  for (const path of flip ?? []) put(target, path, flipBit(at(target, path)));
  for (const path of upper ?? []) put(target, path, String(at(target, path)).toUpperCase());
  for (const [path, length] of Object.entries(cut ?? {})) {
    const bytes = Buffer.from(String(at(target, path)), 'base64');
    put(target, path, bytes.subarray(0, -length).toString('base64'));
  }
}

const at = (target: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((part, name) => (part as Json | undefined)?.[name], target);

/** `undefined` is not part of JSON, so it removes the member. */
function put(target: Json, path: string, value: unknown): void {
  const names = path.split('.');
  const parent = at(target, names.slice(0, -1).join('.')) ?? target;
  (parent as Json)[names.at(-1) as string] = value;
}

function resolve(value: unknown, values: Values): unknown {
  if (Array.isArray(value)) return value.map((one) => resolve(one, values));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolve(one, values)]));
  }
  if (typeof value !== 'string' || !value.startsWith('$')) return value;
  if (value === '$now') return new Date().toISOString();
  if (value.startsWith('$random:')) return randomBase64(Number(value.slice('$random:'.length)));
  const found = at(values, value.slice(1));
  if (found === undefined) throw new Error(`No lie knows ${value}.`);
  return structuredClone(found);
}
