import { oneOfEachKind, testLies } from './testing/lies/test-lies.ts';
import { checkExpertRow } from './testing/lies/to-expert/check-expert-row.ts';
import { liesAsData } from './testing/lies/to-expert/index.ts';

// The same code as with an API key, which is tested with all lies, judges what the relay says.
testLies(
  'to the expert with a session',
  oneOfEachKind(liesAsData.filter(({ only }) => only === undefined)),
  checkExpertRow,
);
