import { type Form, parseForm } from '@expert-relay/sdk/forms';
import { defineCommand } from '../arguments/command.ts';
import { type AskPlan, askOptions, readPlan } from '../asking/read-plan.ts';
import { describeUnsent, showAnswers } from '../asking/show-answers.ts';
import { showDecision } from '../asking/show-decision.ts';
import {
  type ActiveConversation,
  resumeConversation,
  startConversation,
} from '../asking/start-conversation.ts';
import { waitForAnswers } from '../asking/wait-for-answers.ts';
import { waitForDecision } from '../asking/wait-for-decision.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { newestForm, openForm } from '../store/conversations.ts';
import { describeDuration } from '../terminal/describe-duration.ts';

export const ask = defineCommand({
  name: 'ask',
  summary: 'asks your expert, waits, and prints the answer',
  usage: ['"question" [options]', '--resume HS-... ["more"] [options]'],
  about:
    'The answer goes to stdout, everything else to stderr. Exit code 0 means answered, not yes: where a program depends on the answer, use `relay approve`, --choice or --form. Then 0 means accepted, and 13 declined: the chosen option, or the values of the form as JSON, go to stdout, and answers in words go to stderr while the command goes on waiting. Answers are end-to-end encrypted; the question, its context and its form can be read by the relay unless --confidential is given. The conversation is kept on this machine: after a timeout, a crash or Ctrl-C, --resume continues, and with --once the same command does: later runs print the same answers. Answers that were written before the expert had read your last message do not count; with --include-early they do. An answer in plain text is refused (exit code 11).',
  options: askOptions,
  examples: [
    'relay ask "Why does the deploy hang?"',
    'region=$(relay ask "Deploy where?" --choice eu --choice us) && ./deploy "$region"',
    'relay ask "How shall I deploy?" --form form.json --attach plan.txt',
    'tail -n 50 deploy.log | relay ask "What is wrong here?" --context - --wait 2h',
    'relay ask "Which customer is it?" --confidential --json',
    'relay ask --resume HS-7KQ2M9XD "And the second lock?"',
  ],
  words: [0, 1],
  profiles: ['agent'],
  async run(context, { options, words }) {
    const plan = readPlan(options, words, context.config);
    const { resume: name, wait, includeEarly, json } = plan;
    const started =
      name === undefined
        ? await startConversation(context, plan)
        : await resumeConversation(context, plan, name);
    const { conversation, journal, end } = started;
    try {
      const form = decidable(started, plan);
      if (form && includeEarly)
        throw new Failure(
          'usage',
          `${conversation.refCode} waits for a decision, so --include-early has no meaning there: leave it out.`,
        );
      announce(context, started, plan, form);
      if (wait === undefined) return 'done';
      if (form) {
        const { validForMs } = journal.read(conversation.id);
        const awaited = await waitForDecision(context, { ...started, timeoutMs: wait, validForMs });
        const outcome = showDecision(context, conversation, { ...awaited, form, json });
        if (await context.out.written()) await journal.markDelivered(conversation.id, [awaited.entry]);
        return outcome;
      }
      const answers = await waitForAnswers(context, { ...started, timeoutMs: wait, includeEarly });
      showAnswers(context, conversation, { answers, json });
      if (await context.out.written()) await journal.markDelivered(conversation.id, answers);
      return 'done';
    } finally {
      await end();
    }
  },
});

/** The newest form: what was decided about it is printed again. Only a text that is sent after that is answered in words. */
function decidable(
  { journal, conversation }: ActiveConversation,
  { words, resume }: AskPlan,
): Form | undefined {
  const stored = journal.read(conversation.id);
  const form = newestForm(stored);
  const isInWords = resume !== undefined && words.length > 0 && openForm(stored) === undefined;
  return form === undefined || isInWords ? undefined : parseForm(form);
}

function announce(
  { out, err }: Context,
  { conversation }: ActiveConversation,
  { wait, json, resume: name }: AskPlan,
  form: Form | undefined,
): void {
  const awaited = form ? 'a decision' : 'an answer';
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
      `Waiting up to ${describeDuration(wait)} for ${awaited}. Ctrl-C stops waiting; nothing is lost.`,
      { style: 'dim' },
    );
  }
  if (unsentText) err.paragraph(unsentText, { style: 'yellow' });
}
