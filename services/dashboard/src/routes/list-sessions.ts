import { sendAnswer } from '@expert-relay/kit/http';
import type { RequestHandler } from 'express';
import type { Sessions } from '../session/sessions.ts';
import { requireUser } from './proxy-to-service.ts';

/** Where the user is signed in: this session first, then the one that was used last. */
export const listSessions =
  (sessions: Sessions): RequestHandler =>
  async (request, response) => {
    const { userId, sessionId } = requireUser(request);
    const found = await sessions.list(userId);
    const isOwn = ({ user }: (typeof found)[number]) => user.sessionId === sessionId;
    const body = {
      sessions: [...found.filter(isOwn), ...found.filter((session) => !isOwn(session))].map(
        ({ user, lastUsedAt }) => ({
          id: user.sessionId,
          device: user.device,
          provider: user.identity.provider,
          createdAt: new Date(user.createdAt).toISOString(),
          lastUsedAt: new Date(lastUsedAt).toISOString(),
          current: user.sessionId === sessionId,
        }),
      ),
    };
    await sendAnswer(response, { status: 200, body });
  };
