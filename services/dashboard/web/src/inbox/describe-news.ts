import { firstWords } from '../text/first-words.ts';
import { agentAndKey } from '../ui/agent-name.ts';
import type { News } from './news.ts';
import type { Row } from './rows.ts';

const agentOf = ({ agentName, agent }: Row, orElse: string): string =>
  agentAndKey({ agentName, keyName: agent.name }, orElse);

/** As the relay's own notifications have it. */
function whatIsAsked(news: News['kind'], { kind }: Row): string {
  if (news === 'message') return 'has written again';
  if (kind === 'Approval') return 'asks for your approval';
  return kind ? 'asks for a decision' : 'asks a question';
}

/** For screen readers. */
export function describeNews({ kind, row }: News): string {
  const words = firstWords(row.newestText ?? row.question, 120);
  return `New ${kind} from ${agentOf(row, 'an agent')}${words && `: ${words}`}`;
}

export function notificationOf({ kind, row }: News, withQuestion: boolean) {
  const words = withQuestion ? firstWords(row.newestText ?? row.question, 200) : '';
  return {
    title: `${agentOf(row, 'An agent')} ${whatIsAsked(kind, row)}`,
    body: [row.refCode, words].filter(Boolean).join('\n'),
  };
}
