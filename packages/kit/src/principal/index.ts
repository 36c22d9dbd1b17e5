export { parsePrincipalKeys, type PrincipalKeys } from './principal-keys.ts';
export { createPrincipalSigner, type PrincipalSigner } from './principal-signer.ts';
export { createPrincipalVerifier, type PrincipalVerifier, type StatedCall } from './principal-verifier.ts';
export { type Principal, type PrincipalKind, principalHeader } from './principal.ts';
