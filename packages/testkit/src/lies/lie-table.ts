import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A lie as data: docs/lies.md explains the members. */
export interface LieRow {
  readonly name: string;
  readonly to: 'agent' | 'expert';
  readonly situation?: AgentSituation & ExpertSituation;
  readonly expect?: AgentExpectation & ExpertExpectation;
  readonly alter: readonly Alteration[];
}

export interface AgentSituation {
  /** The question, if it matters. */
  readonly asked?: {
    readonly question: string;
    readonly plaintext?: string;
    readonly confidential?: boolean;
    /** In seconds, as the relay gets it. */
    readonly expiresIn?: number;
    /** Its name. */
    readonly once?: string;
    readonly messages?: readonly { readonly role: string; readonly content: string }[];
  };
  /** Whether the agent knows the expert's fingerprint. */
  readonly known?: boolean;
  /** The agent's setting. */
  readonly acceptUnprotected?: boolean;
  /** Whether the agent has asked another question before, which the relay answered correctly. */
  readonly askedBefore?: boolean;
  /** Whether the reader reads only after everything was sent. */
  readonly all?: boolean;
}

export interface ExpertSituation {
  /** How the expert finds the request. Default: by its id. */
  readonly by?: 'requests' | 'code';
  /** Whether the expert lists the requests first, while the relay lies. */
  readonly lists?: boolean;
  /** What an earlier client of the expert, with the same memory, has done before the lie starts. */
  readonly before?: 'list' | 'read' | 'pick up' | 'answer' | 'answer and read';
  /** Whether the agent asks without keys. */
  readonly plain?: boolean;
  /** Whether the agent closes it before the expert's first read. */
  readonly closed?: boolean;
  /** `key`: only for experts with an API key. */
  readonly only?: 'key';
}

/** An error, as docs/sdk-errors.md lists them. */
export interface ExpectedError {
  readonly code: string;
  readonly reason?: string | undefined;
}

export interface AgentExpectation {
  /** The error of the side that is lied to. Without it, all messages arrive once and in order. */
  readonly error?: ExpectedError;
  /** The number of messages that arrive before the error. */
  readonly after?: number;
  /** The maximum of that number, where it depends on timing. */
  readonly upTo?: number;
  readonly verification?: string;
  /** Whether the submit fails already: there is no conversation. */
  readonly stopsAtSubmit?: boolean;
}

export interface ExpertExpectation {
  /** Why the expert cannot notice. */
  readonly unnoticed?: string;
  /** The agent's error; null for none, where the expert has one. */
  readonly agent?: ExpectedError | null;
  /** Whether the expert encrypts for keys that the agent never had. */
  readonly forOthers?: boolean;
  /** The question that the expert is shown. */
  readonly question?: string;
  /** Why the request is refused in the list. */
  readonly listed?: ExpectedError;
  /** The question that the list shows. */
  readonly listedQuestion?: string;
}

/** One change of an answer of the relay, or of a call before it gets there. */
export interface Alteration extends Change {
  readonly in:
    | 'submit'
    | 'submitted'
    | 'exchange'
    | 'conversation'
    | 'other conversation'
    | 'requests'
    | 'code';
  readonly when?: 'exchanged' | 'not exchanged' | 'after the first' | { readonly seqAbove: number };
  /** The change is that of each request of the list. */
  readonly each?: boolean;
  /** The change is that of one message, each time that it is listed: the first of this role has index 0. */
  readonly message?: { readonly role: string; readonly index: number };
  readonly messages?:
    | 'repeat'
    | 'reverse'
    | { readonly swap: readonly [number, number] }
    | { readonly keep: number }
    | { readonly first: unknown }
    | readonly unknown[];
  /** Erases the content as the relay does after the retention. */
  readonly erase?: boolean;
}

/** Members are named by their path, such as `encrypted.iv`. */
export interface Change {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  /** Changes one bit of these members, which are base64. */
  readonly flip?: readonly string[];
  /** Removes this number of bytes from the end of members, which are base64. */
  readonly cut?: Readonly<Record<string, number>>;
  readonly upper?: readonly string[];
  /** Removes the message. */
  readonly drop?: boolean;
  /** Adds a copy of the message with these changes. */
  readonly copy?: Change;
}

const path = join(fileURLToPath(new URL('../../../../', import.meta.url)), 'docs/lies.json');

/** All lies of docs/lies.json to one side. */
export const readLies = (to: LieRow['to']): readonly LieRow[] =>
  (JSON.parse(readFileSync(path, 'utf8')) as { lies: LieRow[] }).lies.filter((row) => row.to === to);
