import { create, toBinary } from '@bufbuild/protobuf';
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

/** Makes the header by which `caller` tells `audience` who calls: `<caller>.<key id>.<principal>.<mac>`. */
export function createPrincipalSigner(options: {
  caller: string;
  audience: string;
  keys: PrincipalKeys;
  clock: Clock;
}): PrincipalSigner {
  const { caller, audience, clock } = options;
  const [key] = options.keys;

  return ({ principal, method, path, callId }) => {
    const signed = create(SignedPrincipalSchema, {
      audience,
      method,
      path,
      callId,
      issuedAtMs: BigInt(clock.now()),
      principal: toWire(principal),
    });
    const payload = Buffer.from(toBinary(SignedPrincipalSchema, signed)).toString('base64url');
    const text = `${caller}.${key.id}.${payload}`;
    return `${text}.${macOf(key, text).toString('base64url')}`;
  };
}
