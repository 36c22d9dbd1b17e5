import { answerCommands } from './answer-commands.ts';
import { insertSubmission } from './insert-submission.ts';
import { openPool } from './open-pool.ts';
import { repeat } from './repeat.ts';

const pool = openPool();
const submission = JSON.parse(process.env.BENCH_SUBMISSION ?? '');

answerCommands({ run: repeat(() => insertSubmission(pool, submission)) });
