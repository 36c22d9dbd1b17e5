/* What is needed once a request is opened, and not for a list of requests. */

export { createFollower } from '../thread/follower.ts';
export { createSender } from '../thread/sender.ts';
export { createThread } from '../thread/thread.ts';
export { ExpertConversation } from './expert-conversation.ts';
export { createExpertSide } from './expert-side.ts';
export { createOutbox } from './session-outbox.ts';
