import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { Clock } from '../clock/index.ts';
import type { KeysWithIds } from '../config/index.ts';
import { SignedPrincipalSchema } from '../generated/relay/principal/v1/principal_pb.ts';
import { digestOf, macOf, type Principal, toWire } from './principal.ts';

type PrincipalSigner = (call: {
  principal: Principal;
  method: string;
  /** With its query, exactly as it is sent. */
  path: string;
  callId: string;
  /** Absent if the call has none. */
  body?: Buffer | undefined;
}) => string;

const digestOfNoBody = digestOf(Buffer.alloc(0));

/** Makes the header with which `caller` sends a principal to `audience`: `<caller>.<key id>.<payload>.<mac>`. */
export function createPrincipalSigner(options: {
  caller: string;
  audience: string;
  keys: KeysWithIds;
  clock: Clock;
}): PrincipalSigner {
  const { caller, audience, clock } = options;
  const [key] = options.keys;
  // The part of the payload that is the same in each call of a principal. The gateway's key cache returns the same
  // object for each call with a key, so this part is encoded once for a key and not for each call.
  const encodedPrincipals = new WeakMap<Principal, Uint8Array>();
  let serial = 0n;

  function encodePrincipal(principal: Principal): Uint8Array {
    let encoded = encodedPrincipals.get(principal);
    if (!encoded) {
      encoded = encode({ audience, principal: toWire(principal) });
      encodedPrincipals.set(principal, encoded);
    }
    return encoded;
  }

  return ({ principal, method, path, callId, body }) => {
    const issuedAtMs = BigInt(clock.now());
    const bodyDigest = body ? digestOf(body) : digestOfNoBody;
    const encodedCall = encode({ method, path, callId, issuedAtMs, bodyDigest, serial: ++serial });
    // Two encoded messages, one after the other, are one protobuf message with the fields of both.
    const payload = Buffer.concat([encodePrincipal(principal), encodedCall]).toString('base64url');
    const text = `${caller}.${key.id}.${payload}`;
    return `${text}.${macOf(key, text).toString('base64url')}`;
  };
}

const encode = (part: MessageInitShape<typeof SignedPrincipalSchema>): Uint8Array =>
  toBinary(SignedPrincipalSchema, create(SignedPrincipalSchema, part));
