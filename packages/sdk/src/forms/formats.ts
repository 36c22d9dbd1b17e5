/*
 * The formats of texts. The work of each check grows no faster than the length of the text, and a second program can follow
 * each rule to the character: docs/forms.md.
 */

const label = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?';
const email = new RegExp(`^(?!\\.|.*\\.[.@])[\\w.!#$%&'*+/=?^\`{|}~-]{1,64}@(?:${label}\\.)+${label}$`, 'i');
const uri = /^[a-z][a-z\d+.-]*:[-\w.~:/?@!$&'()*+,;=[\]%]+(?:#[-\w.~:/?@!$&'()*+,;=%]*)?$/i;
const wrongEscape = /%(?![\da-f]{2})/i;
const dateTime =
  /^(.{10})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function isDate(text: string): boolean {
  const date = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00Z` : Number.NaN);
  // Some engines read the 30th of February as a day in March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

export const isDateTime = (text: string): boolean => isDate(dateTime.exec(text)?.[1] ?? '');

/** Each format with its check, and with the sentence for a text that is not of the format. */
export const formats = {
  email: {
    matches: (text: string) => text.length <= 254 && email.test(text),
    expected: 'Give an email address, such as ada@example.com.',
  },
  uri: {
    matches: (text: string) => uri.test(text) && !wrongEscape.test(text),
    expected: 'Give an address, such as https://example.com.',
  },
  date: { matches: isDate, expected: 'Give a date, such as 2026-11-23.' },
  'date-time': {
    matches: isDateTime,
    expected: 'Give a date and time with seconds and offset, such as 2026-11-23T16:01:00Z.',
  },
};
