export { type ExpertKeys, makeRoot, openExpertKeys } from './expert-keys.ts';
export { formatFingerprint, parseFingerprint, sameFingerprint } from './fingerprint.ts';
export { onceId } from './once-keys.ts';
export { makeRecoveryCode, parseRecoveryCode } from './recovery-code.ts';
export { openVault, sealVault, type Vault } from './vault.ts';
