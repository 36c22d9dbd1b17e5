/* What seals and opens the vault: loaded on demand. */
export { makeRecoveryCode, openVault, sealVault } from '@expert-relay/sdk/crypto';
