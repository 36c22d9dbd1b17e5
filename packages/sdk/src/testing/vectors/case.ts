import type { Vault } from '../../crypto/index.ts';
import type { Exchange, Role } from '../../crypto/key-exchange.ts';
import type { MessageRecord, SealedMessage } from '../../crypto/message.ts';

/** Public keys as PEM. */
export interface PemKeys {
  readonly sign: string;
  readonly encrypt: string;
}

/** One side of a conversation, with its private keys: base64 as an agent exports them, or an expert's root in hex. */
export interface Side {
  readonly requestId: string;
  readonly role: Role;
  readonly own: { readonly sign: string; readonly encrypt: string } | { readonly root: string };
  /** Absent before a key exchange. */
  readonly peer?: PemKeys;
  /** The digest of the question, in hex. */
  readonly submission: string;
  /** That of the exchange; absent when the expert's client signs no keys. */
  readonly keySignature?: string;
  /** True when the agent asked without keys. */
  readonly withoutKeys?: boolean;
}

export interface HexPart {
  readonly kind: number;
  readonly body: string;
}

/** A part to encrypt, its body repeated `times` times. */
export type PartToSeal = HexPart & { readonly times?: number };

/** The parts whose meaning is known. The bytes of a file are in hex, and so is `of`. */
export interface Parts {
  readonly form?: string;
  readonly answer?: { readonly of: string; readonly json: string };
  readonly files?: readonly { readonly name: string; readonly mediaType: string; readonly bytes: string }[];
}

/** A text to encrypt, repeated `times` times. */
export interface ToSeal {
  readonly messageId: string;
  readonly iv: string;
  readonly text: string;
  readonly times?: number;
  readonly parts?: readonly PartToSeal[];
  /** The links of the messages that had been shown when the text was written. Absent: all. */
  readonly shown?: readonly string[];
}

/** A record as the relay may list it. */
export type Shown =
  | MessageRecord
  | { readonly role: Role; readonly messageId: string; readonly plaintext: string };

export interface Opened extends Parts {
  readonly text: string;
  readonly protection: string;
  readonly seenYourLast?: boolean | undefined;
  readonly hasUnknownPart?: true;
}

/** Input and output by the kind of a case. Bytes are in hex, unless the wire format has another form for them. */
export interface Kinds {
  'public-key': [{ kind: 'sign' | 'encrypt'; pem: string }, { raw: string }];
  'agent-keys': [{ sign: string; encrypt: string }, PemKeys];
  expert: [{ root: string; requestId: string }, PemKeys & { fingerprint: string }];
  submission: [
    {
      refCode: string;
      agentVersions?: string;
      agentName?: string;
      question?: string;
      plaintext?: string;
      answerForm?: string;
      messages: { role: string; content: string }[];
    },
    { submission: string },
  ];
  'sign-exchange': [
    { root: string; requestId: string; consumer: PemKeys; submission: string },
    { keySignature: string },
  ];
  'check-exchange': [
    {
      requestId: string;
      own: PemKeys;
      submission: string;
      exchange: Exchange;
      known?: string[];
      acceptUnprotected?: boolean;
    },
    { fingerprint: string; verified: string; conversation: string },
  ];
  /** An exchange that the expert finds already made. */
  'check-pick-up': [
    { root: string; requestId: string; consumer: PemKeys; submission: string; exchange: Exchange },
    { conversation: string },
  ];
  'check-unchanged': [{ first: PemKeys; later: PemKeys | null }, Record<string, never>];
  fingerprint: [{ typed: string }, { fingerprint: string }];
  'make-recovery-code': [{ random: string }, { code: string }];
  'read-recovery-code': [{ typed: string }, { characters: string }];
  'seal-vault': [{ root: string; code: string; salt: string; iv: string }, { vault: Vault }];
  'open-vault': [{ vault: Vault; code: string }, { root: string }];
  padding: [{ length: number }, { padded: number }];
  /** Parts of a message of this role, with `form`, `json` and `bytes` `times` over: what a frame has from their number on. */
  parts: [Parts & { role: Role; times?: number }, { length: number; sha256: string }];
  /** The private keys of an agent, and the id of a confidential question. */
  'once-keys': [{ secret: string; name: string }, { sign: string; encrypt: string; questionId: string }];
  /** The id of a conversation, and the idempotency key of its submit. */
  'once-id': [{ name: string }, { id: string }];
  frame: [{ frame: string }, { links: string | null; text: string; parts: HexPart[] }];
  /**
   * A message that is encrypted after all of `before` was opened, or encrypted by the same side. Later messages link to
   * it with `link`.
   */
  seal: [
    ToSeal & { side: Side; before: (MessageRecord | ToSeal)[] },
    { message: SealedMessage; links: string; link: string },
  ];
  /**
   * Records in the order of the list, and texts that this side encrypts in between. In a case with an error, the last
   * record is refused, and the ones before it are opened.
   */
  open: [{ side: Side; records: (Shown | ToSeal)[]; acceptUnprotected?: boolean }, { opened: Opened[] }];
}

export type Kind = keyof Kinds;

/** A case before it was run. `error` is the expected error code. */
export type Draft = {
  [K in Kind]: {
    readonly name: string;
    readonly kind: K;
    readonly input: Kinds[K][0];
    readonly error?: string;
  };
}[Kind];
