import { firstWords } from '../text/first-words.ts';
import { agentAndKey } from '../ui/agent-name.ts';
import type { News } from './news.ts';
import type { Row } from './rows.ts';

const agentOf = ({ agentName, agent }: Row): string =>
  agentAndKey({ agentName, keyName: agent.name }, 'an agent');

/** For screen readers. */
export function describeNews({ kind, row }: News): string {
  const words = firstWords(row.question, 120);
  return `New ${kind} from ${agentOf(row)}${words && `: ${words}`}`;
}

export function notificationOf({ kind, row }: News, withQuestion: boolean) {
  const words = withQuestion ? firstWords(row.question, 200) : '';
  return {
    title: `${kind === 'request' ? 'Request' : 'Message'} from ${agentOf(row)}`,
    body: [row.refCode, words].filter(Boolean).join('\n'),
  };
}
