import type { Json, Lie } from '@expert-relay/testkit';
import { aboutSecondOf } from '../in-list.ts';

/** A lie about the expert's second answer. */
export const aboutSecond = (alter: (message: Json, messages: Json[]) => unknown): Lie =>
  aboutSecondOf('provider', alter);
