export type { ReceiptEntry, VerifiedReceipt } from './verified-receipt.ts';
export { verifyReceipt } from './verify-receipt.ts';
