import { test } from '@jest/globals';
import { useProduct } from './setup/use-product.ts';
const product = useProduct();
const r = (u: string, n: number) => u.repeat(n).slice(0, 30_000);
const N = 30_000;
const texts: Record<string, string> = {
  honest: r('Some **text** with `code` and [a link](https://relay.example/a).\n\n- one\n- two\n\n', 400),
  '.*a': r('.*a', N), 'bang[': r('![', N), items: r('- a\n', N), table: `|${'a|'.repeat(50)}\n|${'-|'.repeat(50)}\n${r('|\n', 400)}`,
  table2: `|${'a|'.repeat(500)}\n|${'-|'.repeat(500)}\n${r('|\n', 10)}`,
  links: r('[a](b:c) ', N), 'http links': r('[a](http://b.c) ', N), bare: r('http://b.c ', N), line: r('W', N), 'rlo': r('\u202e', N), 'rle': r('\u202b', N), rli: r('\u2067a', N), 'zalgo': r(`a${'\u0301'.repeat(8)}`, N), tall: r('a\u0301\u0301\u0301', N),
  quotes: r(`${'>'.repeat(20)}a\n\n`, N), nested: r('- '.repeat(19) + 'a\n\n', N), breaks: r('a\n', N), hr: r('***\n', N), code: r('`a` ', N), fences: r('```\n```\n', N), emphasis: r('*a* ', N), arabic: r('مرحبا \u202b a ', N), emoji: r('👨‍👩‍👧', N), tabs: `\`\`\`\n${r('\t', 29_000)}`, images: r('![a](http://b.c)', N), spaces: r(' ', 29_000) + 'a', refs: `[a]: http://${'x'.repeat(1900)}\n\n${r('[a]', 27_000)}`,
  thai: r('กขค', N), 'no-break': r('a\u00a0', N), 'shy': r('a\u00ad', N), zwsp: r('a\u200b', N), tibetan: r('རྐྱེན', N), 'mixed': r('aא', N), burmese: r('ကခဂ', N), 'code mixed': '```\n' + r('aא', N-100), 'code thai lines': '```\n' + r('กขค\n', N-100), thaipara: r('กขค'.repeat(600)+'\n\n', N), mixedpara: r('aא'.repeat(2400)+'\n\n', N), vs: r('葛\u{e0100}', N),
};
test('measure', async () => {
  await using device = await product.signIn('ada');
  await using agent = await device.newAgent('chatty');
  const page = device.page;
  const cdp = await device.context.newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const metrics = async () => Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
  const only = process.env.ONLY;
  const rows: unknown[] = [];
  for (const [name, text] of Object.entries(texts)) {
    if (only && !only.split(',').includes(name)) continue;
    const messages = Array.from({ length: 10 }, () => ({ role: 'user', content: text }));
    const { requestId } = await agent.askPlainly({ question: text, plaintext: 'x', messages });
    for (let n = 0; n < 12; n++) await agent.sendPlainly(requestId, text);
    await page.goto(`/dashboard/requests/${requestId}`);
    await page.getByRole('article', { name: 'Question' }).waitFor();
    await page.locator('[data-message]').nth(11).waitFor();
    await page.evaluate(`new Promise((done) => setTimeout(done, 500))`);
    await page.evaluate(`document.querySelector('[data-message]').parentElement.parentElement.parentElement.parentElement.scrollTop = 0; new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
    for (const fold of await page.locator('details > summary').all()) await fold.click();
    await page.evaluate(`new Promise((done) => setTimeout(done, 500))`);
    const after = await metrics();
    const d = (key: string) => Math.round((after[key] ?? 0) * 1000);
    const nodes = await page.evaluate(`document.querySelectorAll('*').length + '/' + document.querySelectorAll('[data-plain]').length`);
    rows.push(`${name}: task ${d('TaskDuration')} script ${d('ScriptDuration')} layout ${d('LayoutDuration')} style ${d('RecalcStyleDuration')} nodes ${nodes}`);
    console.log(rows.at(-1));
  }
}, 560_000);
