export { lieOf } from './alter.ts';
export {
  alterList,
  alterSecondOf,
  blobOf,
  failEverySecondCall,
  flipBit,
  htmlAnswer,
  isList,
  replaceList,
  trueOnce,
  truncated,
} from './alter-list.ts';
export {
  type AgentExpectation,
  type AgentSituation,
  type Alteration,
  type ExpectedError,
  type ExpertExpectation,
  type ExpertSituation,
  type LieRow,
  readLies,
} from './lie-table.ts';
