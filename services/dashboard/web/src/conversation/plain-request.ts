import { RelayError, type RelayErrorCode } from '@expert-relay/sdk';
import type { ExpertEvent, ExpertMessage } from '@expert-relay/sdk/expert';
import { decide, type GivenAnswer, readForm, type Standing } from '@expert-relay/sdk/forms';
import { CallError, call } from '../calls/call.ts';
import type { Message, SessionConversation } from '../generated/api.ts';
import { hasEnded, type OpenRequest } from './conversation-state.ts';
import { answersIn, formName, readDecision, writeDecision } from './plain-decision.ts';

interface PlainOptions {
  readonly requestId: string;
  readonly listen: (call: (event: ExpertEvent) => void) => () => void;
  readonly signal: AbortSignal;
}

/**
 * A request without encryption, for pages without cryptography: browsers offer none to pages that were loaded over http
 * from another machine. The SDK cannot run there.
 */
export async function openPlainRequest({ requestId, listen, signal }: PlainOptions): Promise<OpenRequest> {
  const path = `/api/requests/${encodeURIComponent(requestId)}`;
  const ready: ExpertMessage[] = [];
  let seq = 0;
  let head: SessionConversation | undefined;
  let reading: Promise<void> | undefined;
  let hasNews = () => {};
  /** By what an answer says. One that is sent again is the same, since the relay may have stored it already. */
  const bodies = new Map<string, { readonly messageId: string }>();
  /** The form of the question, which the first page alone has. */
  let formText: string | undefined;
  const given: (GivenAnswer & Pick<Message, 'createdAt'>)[] = [];
  let standing: Standing | undefined;

  const first = await readPage(signal);

  async function readPage(aborted?: AbortSignal): Promise<SessionConversation> {
    const { body } = await call<SessionConversation>(`${path}?after=${seq}&limit=1000`, {
      signal: aborted,
    }).catch(fail);
    head = body;
    if (body.consumerEncryptPubKey === null) formText ??= body.answerForm ?? undefined;
    for (const message of body.messages) {
      if (message.seq > seq) {
        ready.push(readMessage(message, body.consumerEncryptPubKey === null, formText !== undefined));
        given.push(...answersIn(message));
      }
      seq = Math.max(seq, message.seq);
    }
    if (formText !== undefined) standing = decide(formText, given);
    hasNews();
    return body;
  }

  /** One read at a time; a call during a read causes one more read afterwards. */
  function read(): Promise<void> {
    const before = reading ?? Promise.resolve();
    const next = before
      .catch(() => {})
      .then(async () => {
        for (let page = await readPage(); page.next !== undefined; page = await readPage());
      });
    reading = next;
    return next;
  }

  async function* messages(): AsyncGenerator<ExpertMessage, void> {
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    signal.addEventListener('abort', stop, { once: true });
    const unlisten = listen((event) => {
      if (event.type === 'unknown' || event.requestId === requestId) read().catch(() => {});
    });
    void read().catch(() => {});
    try {
      while (!signal.aborted) {
        yield* ready.splice(0);
        if (head && hasEnded(head)) return;
        await Promise.race([
          stopped,
          new Promise<void>((resolve) => {
            hasNews = resolve;
          }),
        ]);
      }
    } finally {
      unlisten();
    }
  }

  const answerForm = formText === undefined ? undefined : readForm(formText);

  return {
    get agent() {
      return first.agent?.name;
    },
    agentName: first.agentName ?? undefined,
    refCode: first.refCode,
    createdAt: first.createdAt,
    question: first.question ?? '',
    context: first.context ?? [],
    plaintext: first.plaintext ?? undefined,
    encrypted: first.consumerEncryptPubKey !== null,
    get status() {
      return (head ?? first).status;
    },
    get expiresAt() {
      return (head ?? first).expiresAt;
    },
    get erasedAt() {
      return head?.erasedAt;
    },
    tags: first.tags ?? [],
    get closedBy() {
      return head?.closedBy;
    },
    get closeReason() {
      return head?.closeReason;
    },
    get isPickedUp() {
      return (head ?? first).providerEncryptPubKey !== null;
    },
    answerForm,
    // The name of a form is its digest: here it is not computed, and not sent.
    form: formText === undefined ? undefined : { form: answerForm, of: formName },
    get decision() {
      return standing?.state;
    },
    get decisions() {
      const times = new Map(given.map(({ messageId, createdAt }) => [messageId, createdAt]));
      return (standing?.counted ?? []).map(({ messageId, answer }) => ({
        ...answer,
        messageId,
        createdAt: times.get(messageId) ?? answer.decidedAt,
      }));
    },
    missingParts: undefined,
    unsentAnswers: [],
    messages: { [Symbol.asyncIterator]: messages },
    pickUp: async () => {},
    discard: async () => [],
    refresh: read,
    async answer(text, { decision: deciding } = {}) {
      const content = JSON.stringify([text, deciding]);
      const said = deciding ? writeDecision(text, deciding, answerForm) : { plaintext: text };
      const body = bodies.get(content) ?? { ...said, messageId: randomId() };
      bodies.set(content, body);
      await call(`${path}/messages`, { method: 'POST', body }).catch(fail);
      bodies.delete(content);
      void read().catch(() => {});
      return { messageId: body.messageId, isSent: true };
    },
    async close({ reason } = {}) {
      await call(`${path}/close`, { method: 'POST', body: { reason } }).catch(fail);
      await read();
    },
  };
}

/** Where the agent sent keys, the relay could have written what comes in plain text. */
const readMessage = (
  { role, messageId, createdAt, plaintext, answer }: Message,
  isPlain: boolean,
  hasForm: boolean,
): ExpertMessage => ({
  role,
  messageId,
  createdAt,
  protection: 'plaintext',
  ...(isPlain && hasForm && role === 'provider' && answer && readDecision(answer)),
  text: (isPlain ? plaintext : undefined) ?? 'An encrypted message. Open this page over https to read it.',
});

const codes: Readonly<Record<number, RelayErrorCode>> = {
  0: 'unreachable',
  400: 'invalid_input',
  401: 'invalid_key',
  404: 'not_found',
  409: 'conflict',
  413: 'message_too_large',
  429: 'rate_limited',
};

function fail(error: unknown): never {
  if (!(error instanceof CallError)) throw error;
  const { status, code, message } = error;
  const isEnd = code === 'conversation_closed' || code === 'conversation_expired';
  const fallback = status >= 500 ? 'unreachable' : 'unexpected_answer';
  throw new RelayError(isEnd ? code : (codes[status] ?? fallback), message, { cause: error, problem: code });
}

/** A random UUID. Such pages have no `crypto.randomUUID`. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
