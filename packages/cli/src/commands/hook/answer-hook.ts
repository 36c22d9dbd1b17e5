import type { QuestionPlan } from '../../asking/read-plan.ts';
import { startConversation } from '../../asking/start-conversation.ts';
import { waitForDecision } from '../../asking/wait-for-decision.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { checkAddress } from '../../relay/check-address.ts';
import { code, describePermissionRequest } from './describe-permission-request.ts';
import { type PermissionRequest, programOf, readNotification, readPermissionRequest } from './hook-input.ts';
import { matchingRule, type Named, readRules } from './rules.ts';

export interface HookPlan {
  readonly on: 'permission' | 'notification';
  readonly wait: number;
  readonly confidential: boolean;
}

/** The hook's output. Undefined where there is no decision: then the program shows its ordinary prompt. */
export async function answerHook(context: Context, plan: HookPlan): Promise<object | undefined> {
  const { config, input } = context;
  if (config.wrong) throw config.wrong;
  const text = (await input.readText()).trim();
  await checkAddress(context);
  if (plan.on === 'notification') return await report(context, plan, text);
  const request = readPermissionRequest(text);
  // A request that is too long is refused before the rules read each of its words.
  const question = describePermissionRequest(request);
  if (question === undefined) throw new Failure('usage', 'It is too long to be shown in full.');
  checkRules(context, request);
  // The first expert who answers counts as known elsewhere. Here that could be the relay, which would run commands.
  if (!config.expert)
    throw new Failure('usage', 'RELAY_EXPERT is not set: only an expert whom you name can allow anything.');
  return await decide(context, { ...plan, request, question });
}

function checkRules({ config }: Context, named: Named): void {
  const rule = matchingRule(readRules(config.folder), named);
  if (rule !== undefined) throw new Failure('usage', `A rule of this machine keeps it here: ${rule}`);
}

/** A program that ends the hook has its time: closing must not take longer. */
const closingMs = 3_000;

async function decide(
  context: Context,
  {
    request,
    question,
    wait: timeoutMs,
    ...plan
  }: HookPlan & { request: PermissionRequest; question: string },
): Promise<object> {
  const asked = { ...asking(context, plan), words: [question], asksFor: 'approval' as const };
  const submitted = { ...asked, agentName: asked.agentName ?? programOf(request) };
  const { end, ...started } = await startConversation(context, submitted, { isWithdrawn: true });
  const { conversation } = started;
  try {
    context.err.line(`${conversation.refCode}  asked for an approval`);
    const { entry } = await waitForDecision(context, { ...started, timeoutMs, isWithdrawn: true });
    const { action } = entry.decision;
    const message = entry.text || 'The expert has declined.';
    return {
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: action === 'accept' ? { behavior: 'allow' } : { behavior: 'deny', message },
      },
    };
  } finally {
    // What is decided later has no effect, so the expert must not be left with it.
    await conversation.close({ signal: AbortSignal.timeout(closingMs) }).catch(() => {});
    await end();
  }
}

/** Tells the expert that the agent waits, and does not wait for anything. */
async function report(context: Context, plan: HookPlan, text: string): Promise<undefined> {
  const { cwd, message } = readNotification(text);
  checkRules(context, { cwd, tool_input: { message } });
  const words = [`The agent in ${code(cwd)} waits: ${message}`];
  const { end } = await startConversation(context, { ...asking(context, plan), words });
  await end();
  return undefined;
}

const asking = ({ config }: Context, { confidential }: Pick<HookPlan, 'confidential'>): QuestionPlan => ({
  words: [],
  confidential,
  encrypted: true,
  acceptsUnprotected: false,
  agentName: config.agentName,
});
