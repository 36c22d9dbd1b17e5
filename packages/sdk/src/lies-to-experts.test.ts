import { testLies } from './testing/lies/test-lies.ts';
import { checkExpertRow } from './testing/lies/to-expert/check-expert-row.ts';
import { liesToExperts } from './testing/lies/to-expert/index.ts';

testLies('to the expert', liesToExperts, checkExpertRow);
