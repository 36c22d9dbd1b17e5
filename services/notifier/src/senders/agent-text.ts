import { showHidden } from '@expert-relay/sdk/safe';
import type { NoticeDelivery } from '../deliveries/claim-for-people.ts';

const questionCharacters = 500;
const nameCharacters = 60;

/**
 * An agent's question as people may see it outside of the app: as it was written, with names for hidden characters. Its length is
 * limited, which an ellipsis shows.
 */
export const shownQuestion = (text: string): string =>
  shorten(showHidden(text).replace(/^\n+|\s+$/g, ''), questionCharacters);

/** The name that an agent has given itself, in one line. */
export const shownName = (text: string): string =>
  shorten(showHidden(text).replace(/\s+/g, ' ').trim(), nameCharacters);

/** What an agent does that a person is notified of, as the end of a sentence that begins with its name. */
export function whatIsAsked({ type, form }: Pick<NoticeDelivery, 'type' | 'form'>): string {
  if (type === 'message.created') return 'has written again';
  if (form === 'approval') return 'asks for your approval';
  return form === 'form' ? 'asks for a decision' : 'asks a question';
}

function shorten(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

/**
 * Mail programs and chats make links of what looks like an address, and an agent must not write links in the relay's name. So a
 * character without width stands in each: behind `@`, in `://`, and behind a dot that a letter follows.
 */
export const withoutLinks = (text: string): string =>
  text
    .replaceAll('@', '@\u200b')
    .replaceAll('://', ':\u200b//')
    .replace(/(?<=[\p{L}\p{N}])\.(?=\p{L})/gu, '.\u200b');

/** The page of a request, by its code. */
export const requestUrl = (publicUrl: string, refCode: string): string =>
  new URL(`/dashboard/code/${refCode}`, publicUrl).href;
