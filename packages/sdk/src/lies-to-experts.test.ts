import { othersOfEachKind, testLies } from './testing/lies/test-lies.ts';
import { checkExpertRow } from './testing/lies/to-expert/check-expert-row.ts';
import { liesToExperts } from './testing/lies/to-expert/index.ts';

// The others are in lies.test.ts.
testLies('to the expert', othersOfEachKind(liesToExperts), checkExpertRow);
