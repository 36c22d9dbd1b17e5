/* What is loaded after the question: reading it needs none of this. */
export { CloseConfirmation } from './close-confirmation.tsx';
export { FailedConversation } from './failed-conversation.tsx';
export { FingerprintPanel } from './fingerprint-panel.tsx';
export { ReplyArea } from './reply-area.tsx';
export { SnoozePanel } from './snooze-panel.tsx';
