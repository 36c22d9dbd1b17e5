export {
  type KeyPrincipal,
  type KeySecret,
  type Principal,
  type PrincipalKind,
  principalHeader,
  type SessionPrincipal,
} from './principal.ts';
export { createPrincipalGuard, type GuardedCall, type PrincipalGuard } from './principal-guard.ts';
export { createPrincipalSigner } from './principal-signer.ts';
export {
  createPrincipalVerifier,
  type PrincipalVerifier,
  type Refusal,
  type VerifiedCall,
  type VerifiedHead,
} from './principal-verifier.ts';
