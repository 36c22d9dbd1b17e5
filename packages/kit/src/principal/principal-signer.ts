import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { Clock } from '../clock/index.ts';
import { SignedPrincipalSchema } from '../generated/relay/principal/v1/principal_pb.ts';
import { type Principal, toWire } from './principal.ts';
import { macOf, type PrincipalKeys } from './principal-keys.ts';

export type PrincipalSigner = (call: {
  principal: Principal;
  method: string;
  /** With its query, exactly as it is sent. */
  path: string;
  callId: string;
}) => string;

/** Makes the header with which `caller` states a principal to `audience`: `<caller>.<key id>.<principal>.<mac>`. */
export function createPrincipalSigner(options: {
  caller: string;
  audience: string;
  keys: PrincipalKeys;
  clock: Clock;
}): PrincipalSigner {
  const { caller, audience, clock } = options;
  const [key] = options.keys;
  // Protobuf reads two messages, one after the other, as one: what stays the same for a principal that
  // calls again is encoded once.
  const lasting = new WeakMap<Principal, Uint8Array>();

  function lastingPart(principal: Principal): Uint8Array {
    let part = lasting.get(principal);
    if (!part) {
      part = encode({ audience, principal: toWire(principal) });
      lasting.set(principal, part);
    }
    return part;
  }

  return ({ principal, method, path, callId }) => {
    const passing = encode({ method, path, callId, issuedAtMs: BigInt(clock.now()) });
    const payload = Buffer.concat([lastingPart(principal), passing]).toString('base64url');
    const text = `${caller}.${key.id}.${payload}`;
    return `${text}.${macOf(key, text).toString('base64url')}`;
  };
}

const encode = (part: MessageInitShape<typeof SignedPrincipalSchema>): Uint8Array =>
  toBinary(SignedPrincipalSchema, create(SignedPrincipalSchema, part));
