import { writtenBefore } from '../terminal/protection-words.ts';

/** A part of a result's text: a line of the server, or what the expert wrote between two marks. */
type Part = { readonly line: string } | { readonly quote: string };

function partsOf(text: string): Part[] {
  const quoted = /^The expert wrote what .* two marks (\w+): .*\n-+ begin \1 -+\n([\s\S]*?)\n-+ end \1 -+$/gm;
  const parts: Part[] = [];
  let at = 0;
  const addLines = (lines: string) => {
    for (const line of lines.split('\n')) if (line !== '') parts.push({ line });
  };
  for (const { 0: whole, 2: quote = '', index } of text.matchAll(quoted)) {
    addLines(text.slice(at, index));
    parts.push({ quote });
    at = index + whole.length;
  }
  addLines(text.slice(at));
  return parts;
}

interface ReadAnswer {
  created_at: string;
  protection: { level: string; fingerprint?: string };
  seen_your_last: boolean;
  text: string;
  files?: string[];
}

/** The answers, and the comment of a decision, as a model reads them. */
export function readAnswers(text: string): { answers: ReadAnswer[]; comment: string } {
  const answers: ReadAnswer[] = [];
  let comment = '';
  let isDecision = false;
  for (const part of partsOf(text)) {
    const answer = answers.at(-1);
    if ('quote' in part) {
      const lines = part.quote.split('\n');
      const files = lines.filter((line) => line.startsWith('File "'));
      const words = lines.filter((line) => !files.includes(line)).join('\n');
      if (isDecision) comment = words.match(/^Comment: ([\s\S]*)$/m)?.[1] ?? '';
      else if (answer) Object.assign(answer, { text: words }, files.length > 0 && { files });
      continue;
    }
    const [, created_at, trust = ''] = part.line.match(/^The expert's answer to \S+, of (\S+)\. (.*)/) ?? [];
    isDecision ||= /^The expert has (approved|filled|DECLINED)/.test(part.line);
    if (created_at)
      answers.push({ created_at, protection: readProtection(trust), seen_your_last: true, text: '' });
    if (part.line.startsWith(writtenBefore) && answer) answer.seen_your_last = false;
  }
  return { answers, comment };
}

function readProtection(trust: string): ReadAnswer['protection'] {
  const level = trust.startsWith('Plain text')
    ? 'plain_text'
    : trust.includes('from the expert you know')
      ? 'verified'
      : trust.includes('for the first time')
        ? 'first_contact'
        : 'unverified';
  const fingerprint = trust.match(/\d{5}(?: \d{5}){7}/)?.[0];
  return { level, ...(fingerprint && { fingerprint }) };
}

interface ReadMessage {
  from: 'you' | 'expert';
  text: string;
  decision?: unknown;
  files?: string[];
}

/** The messages of a transcript as a model reads them. */
export function readTranscript(text: string): ReadMessage[] {
  const messages: ReadMessage[] = [];
  const add = (line: string) => {
    const message = messages.at(-1);
    if (!message) return;
    const [, name, json] = line.match(/^(Decision about your form|Files): (.*)$/) ?? [];
    if (name === 'Files') message.files = JSON.parse(json as string);
    else if (name) message.decision = JSON.parse(json as string);
    else message.text += message.text === '' ? line : `\n${line}`;
  };
  for (const part of partsOf(text)) {
    if ('quote' in part) for (const line of part.quote.split('\n')) add(line);
    else if (/^(You|The expert), \d{4}-\S+:/.test(part.line))
      messages.push({ from: part.line.startsWith('You') ? 'you' : 'expert', text: '' });
    else if (part.line.startsWith('Next: ')) break;
    else add(part.line);
  }
  return messages;
}
