import type { Request } from 'express';
import { type PrincipalGuard, principalHeader, type VerifiedCall } from '../principal/index.ts';
import { checkBodyWhenRead, hasBody } from './read-body.ts';

const noBytes = Buffer.alloc(0);

/** Returns what the principal of a call states, or throws. The body is compared with the principal when it is read. */
export function requireCaller(request: Request, requirePrincipal: PrincipalGuard): VerifiedCall {
  const { method, originalUrl: path } = request;
  const { principal, callId, checkBody } = requirePrincipal(request.get(principalHeader), { method, path });
  if (hasBody(request)) checkBodyWhenRead(request, checkBody);
  else checkBody(noBytes);
  return { principal, callId };
}
