import type { Conversation } from '@expert-relay/sdk';
import { defineCommand } from '../arguments/command.ts';
import { readDuration } from '../arguments/read-values.ts';
import { askOptions, readPlan } from '../asking/read-plan.ts';
import { showDecision } from '../asking/show-decision.ts';
import { closeInTime, startConversation } from '../asking/start-conversation.ts';
import { waitForDecision } from '../asking/wait-for-decision.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { approvalForm } from '../forms/read-form.ts';
import { describeDuration } from '../terminal/describe-duration.ts';

const { context, attach, wait, confidential, tag, plaintext, as, once, json } = askOptions;
const expiry = { 'expires-in': askOptions['expires-in'] };

export const approve = defineCommand({
  name: 'approve',
  summary: 'asks your expert for an approval: exit code 0 only when it was given',
  usage: ['"question" [options]'],
  about:
    'For scripts: the exit code says what was decided, and no text has to be interpreted. 0 means approved, 13 declined, 14 that a decision is not valid, 15 that it is older than --valid-for allows; 3, 4, 5 and all others mean that there is no decision, which is no yes. A comment of the expert goes to stdout, everything else to stderr. What the expert writes without deciding is printed to stderr, and the command goes on waiting. Afterwards the conversation is closed, also when there is no decision in time, and after Ctrl-C: then a later decision has no effect. With --keep-open it stays open, and `relay ask --resume` continues. With --once it stays open too, and the same command, run again, waits for the decision or prints it again.',
  options: {
    context,
    attach,
    wait,
    ...expiry,
    tag,
    confidential,
    plaintext,
    as,
    once,
    'valid-for': {
      value: 'TIME',
      help: 'how old an approval may be when it is printed, such as 1h: an older one is exit code 15, and no no, also for `relay ask --resume`; by default any',
    },
    'keep-open': { help: 'do not close the conversation afterwards' },
    json,
  },
  examples: [
    'relay approve "Delete the lock file?" && rm deploy.lock',
    'relay approve "Deploy to production?" --wait 2h --attach plan.txt',
    'relay approve "Deploy 4711?" --once deploy-4711 && ./deploy',
    'code=0; why=$(relay approve "Deploy?") || code=$?; case $code in 0) ./deploy ;; 13) echo "no: $why" ;; esac',
  ],
  words: [1, 1],
  profiles: ['agent'],
  async run(context, { options: { 'keep-open': keepOpen = false, 'valid-for': age, ...options }, words }) {
    const validForMs = age === undefined ? undefined : readDuration('--valid-for', age);
    const plan = { ...readPlan(options, words, context.config), asksFor: 'approval' as const, validForMs };
    const { wait: timeoutMs = 0, once, json } = plan;
    // With a name, a later run waits again, and the agent may write on after the decision.
    const closesAtEnd = !keepOpen && once === undefined;
    const { conversation, journal, outages, end } = await startConversation(context, plan, {
      closesAtEnd,
    });
    const { err } = context;
    try {
      err.line(`${err.paint('bold', conversation.refCode)}  asked for an approval`);
      const effect = closesAtEnd ? 'withdraws the question' : 'stops waiting';
      err.paragraph(`Waiting up to ${describeDuration(timeoutMs)} for it. Ctrl-C ${effect}.`, {
        style: 'dim',
      });
      const waiting = { conversation, journal, outages, timeoutMs, validForMs, closesAtEnd };
      const awaited = await waitForDecision(context, waiting);
      const outcome = showDecision(context, conversation, { ...awaited, form: approvalForm, json });
      if (closesAtEnd) await closeDecided(context, conversation);
      if (await context.out.written()) await journal.markDelivered(conversation.id, [awaited.entry]);
      return outcome;
    } catch (failure) {
      throw closesAtEnd ? await withdraw(conversation, failure) : failure;
    } finally {
      await end();
    }
  },
});

async function closeDecided({ err }: Context, conversation: Conversation): Promise<void> {
  const { refCode } = conversation;
  await closeInTime(conversation).catch(() =>
    err.paragraph(`${refCode} could not be closed, and stays open: relay close ${refCode}`),
  );
}

/** Closes a conversation without a decision, so that a later decision cannot be taken for one that has an effect. */
async function withdraw(conversation: Conversation, failure: unknown): Promise<unknown> {
  if (failure instanceof Failure && ['closed', 'expired'].includes(failure.outcome)) return failure;
  const { refCode } = conversation;
  const closed = await closeInTime(conversation).then(
    () => `${refCode} was closed: a later decision has no effect.`,
    () =>
      `A later decision has no effect here, but the relay could not be told, and shows ${refCode} as open: relay close ${refCode}`,
  );
  if (!(failure instanceof Failure)) return failure;
  return failure.with(closed, { ...failure.details, status: conversation.status });
}
