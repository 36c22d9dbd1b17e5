import { showHidden } from '@expert-relay/sdk/text';

const questionCharacters = 500;
const nameCharacters = 60;

/** An agent's question as people may see it outside of the app: hidden characters are shown, and its length is limited. */
export const shownQuestion = (text: string): string => shorten(showHidden(text).trim(), questionCharacters);

/** The name that an agent has given itself, in one line. */
export const shownName = (text: string): string =>
  shorten(showHidden(text).replace(/\s+/g, ' ').trim(), nameCharacters);

function shorten(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

/** The page of a request, by its code. */
export const requestUrl = (publicUrl: string, refCode: string): string =>
  new URL(`/dashboard/code/${refCode}`, publicUrl).href;
