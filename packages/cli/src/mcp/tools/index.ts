import { askExpert } from './ask-expert.ts';
import { close } from './close.ts';
import { conversationStatus } from './conversation-status.ts';
import { reply } from './reply.ts';
import type { Tool } from './tool.ts';
import { waitForAnswer } from './wait-for-answer.ts';

export const tools: readonly Tool[] = [askExpert, waitForAnswer, reply, conversationStatus, close];
