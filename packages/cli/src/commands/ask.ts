import { defineCommand } from '../arguments/command.ts';
import type { Context } from '../context.ts';
import { describeDuration } from '../terminal/describe-duration.ts';
import { type ActiveConversation, ask as begin, resume } from './ask/begin.ts';
import { type AskPlan, askOptions, readPlan } from './ask/read-plan.ts';
import { describeUnsent, showAnswers } from './ask/show-answers.ts';
import { waitForAnswers } from './ask/wait-for-answers.ts';

export const ask = defineCommand({
  name: 'ask',
  summary: 'asks your expert, waits, and prints the answer',
  usage: ['"question" [options]', '--resume HS-... ["more"] [options]'],
  about:
    'The answer goes to stdout, everything else to stderr. Exit code 0 means answered, not yes: read the answer. Answers are end-to-end encrypted; the question and its context can be read by the relay unless --confidential is given. The conversation is kept on this machine: after a timeout, a crash or Ctrl-C, --resume continues. Answers that were written before the expert had read your last message do not count; with --any they do. An answer in plain text is refused (exit code 11).',
  options: askOptions,
  examples: [
    'answer=$(relay ask "May I remove the lock file? Please begin with yes or no.")',
    'case $answer in [Yy]es*) ./deploy ;; *) echo "$answer" ;; esac',
    'tail -n 50 deploy.log | relay ask "What is wrong here?" --context - --wait 2h',
    'relay ask "Which customer is it?" --confidential --json',
    'relay ask --resume HS-7KQ2M9XD "And the second lock?"',
  ],
  words: [0, 1],
  async run(context, { options, words }) {
    const plan = readPlan(options, words, context.config);
    const { resume: name, wait, any, json } = plan;
    const started = name === undefined ? await begin(context, plan) : await resume(context, plan, name);
    const { relay, conversation, journal, outages } = started;
    try {
      announce(context, started, plan);
      if (wait === undefined) return 'done';
      const answers = await waitForAnswers(context, { conversation, journal, timeout: wait, any });
      showAnswers(context, conversation, { answers, json });
      await context.out.written();
      journal.markDelivered(conversation.id, answers);
      return 'done';
    } finally {
      outages.stop();
      relay.stop();
      journal.release();
    }
  },
});

function announce(
  { out, err }: Context,
  { conversation }: ActiveConversation,
  { wait, json, resume: name }: AskPlan,
): void {
  const { refCode, requestId, status, expiresAt, unsent } = conversation;
  const unsentText = describeUnsent(conversation);
  if (wait === undefined) {
    if (json) {
      out.line(
        JSON.stringify({
          outcome: 'done',
          exit: 0,
          refCode,
          requestId,
          status,
          expiresAt,
          unsent: unsent.length,
          answers: [],
        }),
      );
    } else out.line(refCode);
    err.paragraph(`Asked. Wait for the answer: relay ask --resume ${refCode}`);
  } else {
    err.line(`${err.paint('bold', refCode)}  ${name === undefined ? 'asked' : 'resumed'}`);
    err.paragraph(
      `Waiting up to ${describeDuration(wait)} for an answer. Ctrl-C stops waiting; nothing is lost.`,
      { style: 'dim' },
    );
  }
  if (unsentText) err.paragraph(unsentText, { style: 'yellow' });
}
