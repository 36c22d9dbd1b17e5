import { testLies } from './testing/lies/test-lies.ts';
import { checkExpertRow } from './testing/lies/to-expert/check-expert-row.ts';
import { liesAsData } from './testing/lies/to-expert/index.ts';

testLies(
  'to the expert with a session',
  liesAsData.filter(({ only }) => only === undefined),
  checkExpertRow,
);
