import { expect, test } from '@jest/globals';
import { isTest, readTree, type Tree } from './tree.ts';

/** Phrases that stumble, with what to write. A space stands for any white space. */
const inPagesAndApp: [phrase: string, instead: string][] = [
  ['later work, too', 'write "or later"'],
  ['until then', 'write "by then" or "meanwhile", or name the event'],
  ['since now', 'write "from now on"'],
  ['(?:nothing|that|those) of them', 'say of what'],
  ['e-mails?', 'write "email"'],
  ['mails?(?![ -](?:servers?|programs?))', 'write "email", but "mail server" and "mail program"'],
  ['mend(?:s|ed)?', 'write "fix" or "repair"'],
  ['(?:is|are|was|be) told', 'write "gets", "is notified" or "reports"'],
  ['who(?:so)?ever|whomever', 'name the person or the part'],
  ['tickets?', 'the word of the glossary is "request"'],
  ['askers?|answerers?', 'the words of the glossary are "agent" and "expert"'],
];

/** Words that experts do not use, in texts that only they read. */
const inApp: [phrase: string, instead: string][] = [
  ['of them', 'repeat the noun: a text of the app is read alone'],
  ['(?:a|an|the|your|this|each|no) consumer', 'write "agent"'],
  ['(?:a|the|your|this|each|no) provider', 'write "expert", or "account" for a way to sign in'],
  ['(?:a|the|this|each|no) (?:payload|topic|sequence)', 'it is a word of the protocol'],
  ['(?:not|be|is|was|to) decrypt(?:ed|ion)?|decrypt failure', 'write "read" or "open"'],
  ['close (?:a|the|this) (?:request|conversation)', 'write "end": the button is "End request"'],
];

const withoutComments = (code: string): string =>
  code.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ''));

/** Decisions keep their words, and so do records of runs. */
const isPage = (path: string): boolean => /\.md$/.test(path) && !/^docs\/adr\/|\brecord\.md$/.test(path);
const isApp = (path: string): boolean =>
  /^services\/dashboard\/web\/src\/.*\.tsx?$/.test(path) && !isTest(path) && !path.includes('/testing/');

function wrongWords(tree: Tree): string[] {
  return [...tree].flatMap(([path, text]) => {
    const phrases = isPage(path) ? inPagesAndApp : isApp(path) ? [...inPagesAndApp, ...inApp] : [];
    const read = isPage(path) ? text : withoutComments(text);
    return phrases.flatMap(([phrase, instead]) =>
      [...read.matchAll(new RegExp(`\\b(?:${phrase.replaceAll(' ', '\\s+')})\\b`, 'gi'))].map(
        ({ 0: found, index }) =>
          `${path}:${read.slice(0, index).split('\n').length}: "${found.replace(/\s+/g, ' ')}": ${instead}.`,
      ),
    );
  });
}

test('a phrase that stumbles is reported in pages and in texts of the app, also across lines', () => {
  const app = 'services/dashboard/web/src/inbox/inbox-page.tsx';
  const tree = new Map([
    ['docs/a.md', '# A\n\nNode 22 (20.19 and later\nwork, too). One of them is the consumer.\n'],
    ['docs/adr/0001-a.md', 'Until then.'],
    ['services/hub/src/hub.ts', 'const until = "until then";'],
    [
      app,
      '// Until then.\nconst provider = `Read one of them`;\n<p>\n  Nothing is sent until then. The provider\n</p>',
    ],
  ]);
  expect(wrongWords(tree)).toEqual([
    'docs/a.md:3: "later work, too": write "or later".',
    `${app}:4: "until then": write "by then" or "meanwhile", or name the event.`,
    `${app}:2: "of them": repeat the noun: a text of the app is read alone.`,
    `${app}:4: "The provider": write "expert", or "account" for a way to sign in.`,
  ]);
});

test('pages and texts of the app have no such phrase', () => {
  expect(wrongWords(readTree())).toEqual([]);
});
