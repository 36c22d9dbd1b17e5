import type { ServerResponse } from 'node:http';
import type { Principal } from '../principal/index.ts';
import { limitPerUser } from './limit-per-user.ts';

/** Counts a long answer until the response closes; throws if the user of the caller receives too many of them already. */
export type LongAnswerLimit = (caller: Principal, response: ServerResponse) => void;

/** Limits how many long answers one user receives at the same time; 0 = no limit. */
export function limitLongAnswers(limit: number): LongAnswerLimit {
  const begin = limitPerUser(limit, 'long answers');
  return (caller, response) => {
    // A response that has closed emits no further `close`.
    if (!response.closed) response.once('close', begin(caller));
  };
}
