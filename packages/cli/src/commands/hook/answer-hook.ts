import { type Form, toForm } from '@expert-relay/sdk/forms';
import { code } from '@expert-relay/sdk/internal';
import type { QuestionPlan } from '../../asking/read-plan.ts';
import { closeInTime, startConversation } from '../../asking/start-conversation.ts';
import { waitForDecision } from '../../asking/wait-for-decision.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { checkAddress } from '../../relay/check-address.ts';
import type { DecisionEntry } from '../../store/conversations.ts';
import { describeToolCall } from './describe-tool-call.ts';
import { type AgentNotification, programOf, readHookInput, type ToolCall } from './hook-input.ts';
import { type CallDecision, outputOf } from './hook-output.ts';
import { matchingRule, type Named, readRules } from './rules.ts';
import { chosenRules, sessionRulesOf } from './session-rules.ts';
import { answersOf, describeQuestions, formOf, userQuestionsOf } from './user-questions.ts';

export interface HookPlan {
  readonly wait: number;
  readonly confidential: boolean;
}

/** What the expert is asked, and what the decision means for the program. */
interface CallQuestion {
  readonly text: string;
  readonly form: Form;
  decide(entry: DecisionEntry): CallDecision;
}

/** More could not be read before it is approved. */
const mostCharacters = 60_000;

/**
 * The hook's output for the input that the program has written. Undefined where nothing is to be decided.
 * @throws Failure where there is no decision
 */
export async function answerHook(
  context: Context,
  plan: HookPlan,
  text: string,
): Promise<object | undefined> {
  const { config } = context;
  if (config.wrong) throw config.wrong;
  await checkAddress(context);
  const input = readHookInput(text);
  if ('message' in input) return await report(context, plan, input);
  const question = questionAbout(input);
  // A request that is too long is refused before the rules read each of its words.
  if (question.text.length > mostCharacters)
    throw new Failure('usage', 'It is too long to be shown in full.');
  checkRules(context, { ...input, tool_input: [input.tool_input, input.permission_suggestions] });
  // The first expert who answers counts as known elsewhere. Here that could be the relay, which would run commands.
  if (!config.expert)
    throw new Failure(
      'usage',
      'RELAY_EXPERT is not set, and `relay login --expert` has stored no fingerprint: only an expert whom you name can allow anything.',
    );
  return outputOf(input, await ask(context, plan, input, question));
}

function questionAbout(call: ToolCall): CallQuestion {
  const questions = userQuestionsOf(call);
  if (questions) {
    return {
      text: describeQuestions(call, questions),
      form: formOf(questions),
      decide({ decision: { content = {} } }) {
        const answers = answersOf(questions, content);
        return Object.keys(answers).length === 0
          ? { behavior: 'deny', message: 'The expert has answered none of the questions.' }
          : { behavior: 'allow', updatedInput: { ...call.tool_input, answers } };
      },
    };
  }
  const rules = sessionRulesOf(call);
  return {
    text: describeToolCall(call),
    form: toForm({
      type: 'object',
      properties: Object.fromEntries(rules.map(({ name, field }) => [name, field])),
      required: rules.map(({ name }) => name),
    }),
    decide({ decision: { content = {} } }) {
      const chosen = chosenRules(rules, content);
      return { behavior: 'allow', ...(chosen.length > 0 && { updatedPermissions: chosen }) };
    },
  };
}

function checkRules({ config }: Context, named: Named): void {
  const rule = matchingRule(readRules(config.folder), named);
  if (rule !== undefined) throw new Failure('usage', `A rule of this machine keeps it here: ${rule}`);
}

async function ask(
  context: Context,
  { wait: timeoutMs, ...plan }: HookPlan,
  call: ToolCall,
  { text, form, decide }: CallQuestion,
): Promise<CallDecision> {
  const asked = { ...asking(context, plan), words: [text], asksFor: { form } };
  const submitted = { ...asked, agentName: asked.agentName ?? programOf(call) };
  const { end, ...started } = await startConversation(context, submitted, { closesAtEnd: true });
  const { conversation } = started;
  try {
    context.err.line(`${conversation.refCode}  asked`);
    const { entry } = await waitForDecision(context, { ...started, timeoutMs, closesAtEnd: true });
    if (entry.decision.action === 'accept') return decide(entry);
    return { behavior: 'deny', message: entry.text || 'The expert has declined.' };
  } finally {
    // What is decided later has no effect, so the expert must not be left with it.
    await closeInTime(conversation).catch(() => {});
    await end();
  }
}

/** Tells the expert that the agent waits, and does not wait for anything. */
async function report(
  context: Context,
  plan: HookPlan,
  { cwd, message }: AgentNotification,
): Promise<undefined> {
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
