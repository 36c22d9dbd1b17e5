import { answerCommands } from './answer-commands.ts';
import { insertSubmission, openPool } from './bare-queries.ts';
import { repeat } from './timed-run.ts';

const pool = openPool();
const submission = JSON.parse(process.env.BENCH_SUBMISSION ?? '');

answerCommands({ run: repeat(() => insertSubmission(pool, submission)) });
