import type { ContextMessage, Protection } from '@expert-relay/sdk';
import type { ExpertRequest, ListedQuestion } from '@expert-relay/sdk/expert';
import type { Context } from '../../context.ts';
import { isConfidential } from '../../relay/request-state.ts';
import { protectionWords, writtenBefore } from '../../terminal/protection-words.ts';
import { shortTime, showAgent } from '../show/conversation-view.ts';

/** An event of a conversation. Printed as one JSON line, or as a few lines in a terminal. */
export type News = { readonly refCode: string; readonly requestId: string } & (
  | {
      readonly type: 'request';
      readonly createdAt: string;
      readonly expiresAt: string;
      readonly status: string;
      readonly question: string;
      readonly agent?: string | undefined;
      readonly agentName?: string | undefined;
      readonly context?: readonly ContextMessage[] | undefined;
      readonly encrypted?: boolean | undefined;
    }
  | {
      readonly type: 'message' | 'answer';
      readonly messageId: string;
      readonly createdAt: string;
      readonly text: string;
      readonly protection: Protection;
      readonly seenYourLast?: boolean | undefined;
    }
  | { readonly type: 'ended'; readonly status: string }
  | { readonly type: 'refused'; readonly code: string; readonly message: string }
);

export function showNews({ out }: Context, news: News, json: boolean): void {
  if (json) {
    out.line(JSON.stringify(news));
    return;
  }
  const heading = (text: string) => out.line(`${out.paint('bold', news.refCode)}  ${out.paint('dim', text)}`);
  switch (news.type) {
    case 'request': {
      const { length } = news.context ?? [];
      const before = length > 0 ? `, ${length} message${length > 1 ? 's' : ''} before it` : '';
      const how = news.encrypted ? 'takes encrypted answers' : 'plain text';
      heading(`${shortTime(news.createdAt)}  ${news.encrypted === undefined ? 'waits' : how}${before}`);
      showAgent(out, news, '  ');
      for (const { role, content } of news.context ?? []) {
        out.line(`  ${out.paint('cyan', `before: ${out.shown(role)}`)}`);
        out.foreign(content, { indent: '    ' });
      }
      out.foreign(news.question, { indent: '  ' });
      out.line(out.paint('cyan', out.typed(`  ${nextCommand(news)}`)));
      break;
    }
    case 'message':
    case 'answer':
      heading(
        `${shortTime(news.createdAt)}  ${news.type === 'message' ? 'agent' : 'answer'}, ${protectionWords[news.protection]}`,
      );
      if (news.seenYourLast === false) out.paragraph(writtenBefore, { indent: '  ', style: 'yellow' });
      out.foreign(news.text, { indent: '  ' });
      break;
    case 'ended':
      heading(news.status);
      break;
    case 'refused':
      heading(news.code === 'no_keys_yet' ? 'cannot be read here' : 'not followed any more');
      out.paragraph(news.message, { indent: '  ', style: 'red' });
  }
  out.line();
}

function nextCommand(request: Extract<News, { type: 'request' }>): string {
  const { refCode, encrypted } = request;
  if (isConfidential(request)) return `relay pickup ${refCode}`;
  return `relay answer ${refCode} "..."${encrypted === false ? ' --plaintext' : ''}`;
}

export function describeRequest(request: ExpertRequest | ListedQuestion): News {
  const { refCode, requestId, createdAt, expiresAt, status, question, plaintext, context, encrypted } =
    request;
  const { agent, agentName } = request;
  const about = { refCode, requestId, createdAt, expiresAt, status, agent, agentName, context, encrypted };
  return { type: 'request', ...about, question: question || (plaintext ?? '') };
}
