import { type NamedOperation, operations } from '../black-box/document.ts';
import { type CallerKind, type SampleBody, sampleBodies } from '../black-box/sample-bodies.ts';

export type { CallerKind } from '../black-box/sample-bodies.ts';

/** One endpoint of docs/openapi.yaml. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Tests replace `:requestId`, `:refCode`, `:keyId`, `:sessionId`, `:webhookId` and `:channelId`. */
  readonly path: string;
  readonly auth: keyof typeof callers;
  readonly success: number;
  /** A body that is accepted from this kind of caller, without the API key of a submit. */
  readonly body?: SampleBody;
}

/** The kinds of callers that an endpoint accepts, by what it asks of them. */
const callers = {
  'key in body': ['consumer'],
  key: ['consumer', 'provider'],
  'provider key': ['provider'],
  'optional key': ['consumer', 'provider', 'anonymous'],
  session: ['session'],
  none: ['consumer', 'provider', 'session', 'anonymous'],
} as const satisfies Record<string, readonly CallerKind[]>;

export const callersOf = ({ auth }: Endpoint): readonly CallerKind[] => callers[auth];

/** Calls that are refused although everything about the caller is right. */
const refusals: Readonly<Record<string, number>> = {
  // The users of these tests have no GitHub account.
  removeIdentity: 404,
  // The channel is a chat, which has nothing to confirm.
  sendConfirmation: 404,
  confirmChannel: 404,
  // The deliveries of the webhook have other ids.
  resendDelivery: 404,
  sessionResendDelivery: 404,
};

export const endpoints: readonly Endpoint[] = operations
  .filter(({ tags, operationId }) => !tags.includes('Pages') && operationId !== 'getOpenapi')
  .map((operation) => {
    const { operationId, method, path, responses } = operation;
    const body = sampleBodies[operationId];
    return {
      method: method as Endpoint['method'],
      path: path.replace(/\{(\w+)\}/g, ':$1'),
      auth: authOf(operation),
      success: refusals[operationId] ?? successOf(Object.keys(responses)),
      ...(body && { body }),
    };
  });

function authOf({ security, 'x-key-in-body': inBody }: NamedOperation): Endpoint['auth'] {
  if (inBody) return 'key in body';
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  if (schemes.includes('session')) return 'session';
  if (schemes.length === 0) return 'none';
  if (schemes.length < security.length) return 'optional key';
  return schemes.includes('consumerKey') ? 'key' : 'provider key';
}

/** Of several: a call of the tests is the first one of its kind, and 200 beside 201 is for a repetition. */
function successOf(statuses: readonly string[]): number {
  return Number(statuses.includes('201') ? '201' : statuses.find((status) => status < '300'));
}
