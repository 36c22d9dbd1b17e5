import { eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { RelayError } from '../relay-error.ts';
import type { Api } from '../transport/api.ts';
import { createReadScheduler, type FollowedConversation } from './read-scheduler.ts';

describe('an event about one of many conversations', () => {
  test.each(['unexpected_answer', 'answer_too_large', 'invalid_key'])(
    'is not lost when the list of requests is %s',
    async (code) => {
      const read: string[] = [];
      const followed = ['a', 'b', 'c', 'd'].map((requestId) => ({
        topic: requestId,
        refCode: requestId,
        thread: { requestId, answersRead: 0 },
        sender: { unsent: [] },
        refresh: () => read.push(requestId),
      })) as unknown as FollowedConversation[];
      const get = () => Promise.reject(new RelayError(code as 'invalid_key', 'The list cannot be read.'));
      const api = { get, backoff: () => 1 } as unknown as Api;
      const scheduler = createReadScheduler(() => api, new Set(followed));
      scheduler.onEvent({ type: 'new_message', role: 'provider' }, new Set(['a', 'b', 'c', 'd']));
      await eventually('a read of all', () => read.length === 4);
      expect(read).toEqual(['a', 'b', 'c', 'd']);
      scheduler.stop();
    },
  );
});
