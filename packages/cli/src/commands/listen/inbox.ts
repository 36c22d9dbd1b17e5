import type { ContextMessage, Protection } from '@expert-relay/sdk';
import type { Context } from '../../context.ts';
import { protectionWords, writtenBefore } from '../../terminal/protection-words.ts';
import { shortTime } from '../show/conversation-view.ts';

/** Something for whoever listens: as it stands one JSON line, or a few lines of a terminal. */
export type News = { readonly refCode: string; readonly requestId: string } & (
  | {
      readonly type: 'request';
      readonly createdAt: string;
      readonly expiresAt: string;
      readonly status: string;
      readonly question: string;
      readonly context: readonly ContextMessage[];
      readonly encrypted: boolean;
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
      const { length } = news.context;
      const before = length > 0 ? `, ${length} message${length > 1 ? 's' : ''} before it` : '';
      heading(
        `${shortTime(news.createdAt)}  ${news.encrypted ? 'takes encrypted answers' : 'plain text'}${before}`,
      );
      out.foreign(news.question, { indent: '  ' });
      const option = news.encrypted ? '' : ' --plaintext';
      out.line(out.paint('cyan', out.typed(`  relay answer ${news.refCode} "..."${option}`)));
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
      heading('not listened to any more');
      out.paragraph(news.message, { indent: '  ', style: 'red' });
  }
  out.line();
}
