import type { ContextMessage, Party, Protection } from '@expert-relay/sdk';
import type { ExpertRequest, ListedQuestion } from '@expert-relay/sdk/expert';
import { type Form, isApproval } from '@expert-relay/sdk/forms';
import type { Context } from '../../context.ts';
import { showForm } from '../../forms/show-form.ts';
import { shortTime, showAgent, showTags } from '../../messages/conversation-view.ts';
import { partsToJson, type ShownParts, showParts } from '../../messages/message-parts.ts';
import { askedTexts, isConfidential } from '../../relay/request-state.ts';
import { describeClosing } from '../../terminal/closing-words.ts';
import { escapeCharacter } from '../../terminal/escape-character.ts';
import { protectionWords, writtenBefore } from '../../terminal/protection-words.ts';

/** An event of a conversation. Printed as one JSON line, or as a few lines in a terminal. */
export type News = { readonly refCode: string; readonly requestId: string } & (
  | {
      readonly type: 'request';
      readonly createdAt: string;
      readonly expiresAt: string;
      readonly status: string;
      readonly question: string;
      /** Where it is another text than the question. */
      readonly plaintext?: string | undefined;
      readonly agent?: string | undefined;
      readonly agentName?: string | undefined;
      readonly tags?: readonly string[] | undefined;
      readonly context?: readonly ContextMessage[] | undefined;
      readonly encrypted?: boolean | undefined;
      /** What the question asks for, besides words. */
      readonly form?: 'approval' | 'form' | undefined;
      /** Absent also if this version cannot show it. */
      readonly answerForm?: Form | undefined;
    }
  | ({
      readonly type: 'message' | 'answer';
      readonly messageId: string;
      readonly createdAt: string;
      readonly text: string;
      readonly protection: Protection;
      readonly seenYourLast?: boolean | undefined;
    } & ShownParts)
  | {
      readonly type: 'ended';
      readonly status: string;
      readonly closedBy?: Party | undefined;
      readonly closeReason?: string | undefined;
    }
  | {
      readonly type: 'refused';
      readonly code: string;
      readonly reason?: string | undefined;
      readonly message: string;
    }
);

export function showNews({ out, config }: Context, news: News, json: boolean): void {
  const me = config.kind === 'provider' ? 'expert' : 'agent';
  if (json) {
    const line = JSON.stringify('messageId' in news ? partsToJson(news) : news);
    // Line ends of Unicode are ends of lines to some readers.
    out.line(line.replaceAll(/[\u0085\u2028\u2029]/g, escapeCharacter));
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
      showTags(out, news.tags, '  ');
      for (const { role, content } of news.context ?? []) {
        out.line(`  ${out.paint('cyan', `before: ${out.shown(role)}`)}`);
        out.foreign(content, { indent: '    ' });
      }
      if (news.question !== '') out.foreign(news.question, { indent: '  ' });
      if (news.plaintext !== undefined) {
        out.line(`  ${out.paint('cyan', 'as plain text:')}`);
        out.foreign(news.plaintext, { indent: '    ' });
      }
      if (news.form) showForm(out, news.answerForm);
      out.line(out.paint('cyan', out.typed(`  ${nextCommand(news)}`)));
      break;
    }
    case 'message':
    case 'answer':
      heading(
        `${shortTime(news.createdAt)}  ${news.type === 'message' ? 'agent' : 'answer'}, ${protectionWords[news.protection]}`,
      );
      if (news.seenYourLast === false) out.paragraph(writtenBefore, { indent: '  ', style: 'yellow' });
      if (news.text !== '') out.foreign(news.text, { indent: '  ' });
      showParts(out, news);
      break;
    case 'ended':
      heading(news.status);
      if (describeClosing(news, me) !== '') out.paragraph(describeClosing(news, me), { indent: '  ' });
      break;
    case 'refused':
      heading(news.code === 'no_keys_yet' ? 'cannot be read here' : 'not followed any more');
      out.paragraph(news.message, { indent: '  ', style: 'red' });
  }
  out.line();
}

function nextCommand(request: Extract<News, { type: 'request' }>): string {
  const { refCode, encrypted, form } = request;
  if (isConfidential(request)) return `relay pickup ${refCode}`;
  const what = { approval: ' --approve', form: '', text: ' "..."' }[form ?? 'text'];
  return `relay answer ${refCode}${what}${encrypted === false ? ' --plaintext' : ''}`;
}

export function describeRequest(request: ExpertRequest | ListedQuestion): News {
  const { refCode, requestId, createdAt, expiresAt, status, context, encrypted } = request;
  const { agent, agentName, tags, answerForm } = request;
  const about = {
    refCode,
    requestId,
    createdAt,
    expiresAt,
    status,
    agent,
    agentName,
    tags,
    context,
    encrypted,
  };
  const asksFor = { form: formOf(request), answerForm };
  return { type: 'request', ...about, ...asksFor, ...askedTexts(request) };
}

function formOf({ form, answerForm }: ExpertRequest | ListedQuestion): 'approval' | 'form' | undefined {
  if (answerForm) return isApproval(answerForm) ? 'approval' : 'form';
  // A request has the newest form, which may be that of a message, and a list says only what its question has.
  return typeof form === 'string' || (form && !form.form) ? 'form' : undefined;
}
