import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { useAgent, useTestCli } from '../testing/test-cli.ts';

/* What an agent sends automatically after the pick-up, and an expert who answers at once. */

const cli = useTestCli();
const agent = useAgent(cli);
const attached = () => {
  const path = `${cli.folder}/log.txt`;
  writeFileSync(path, 'hi');
  return path;
};

test('an answer to a question with a file is sent only once the file was shown, and then it counts', async () => {
  const asking = cli.start(['ask', 'What does this file say?', '--attach', attached(), '--wait', '5m'], {
    env: cli.agent,
  });
  const [, refCode = ''] = await asking.printed(/(HS-[0-9A-Z]{8})/);
  expect(await cli.answer(refCode, 'It says hi.')).toMatchObject({
    code: 12,
    stderr: expect.stringMatching(new RegExp(`Not sent: .*relay show ${refCode}`, 's')),
  });
  expect(await cli.answer(refCode, 'It says hi.')).toMatchObject({
    code: 0,
    stdout: `${refCode} answered, end-to-end encrypted. The question:\n  What does this file say?\n`,
  });
  expect(await asking.ended).toMatchObject({ code: 0, stdout: 'It says hi.\n' });
});

test('without files that have not come, an answer is sent with --without-parts', async () => {
  const refCode = await cli.ask('What does this file say?', '--attach', attached());
  const picked = await cli.pickUp(refCode, '--wait', '1s');
  expect(picked).toMatchObject({ code: 0, stderr: expect.stringContaining('no message of the agent yet') });
  expect((await cli.answer(refCode, 'I cannot know.', '--without-parts')).code).toBe(0);
});

test('what is to follow is shown, and an answer to a question that was not picked up is not sent: exit code 12', async () => {
  const withFile = await cli.ask('What does this file say?', '--attach', attached());
  expect((await cli.asExpert('show', withFile)).stdout).toMatch(/to come from the agent: 1 file\./);
  const confidential = await cli.ask('Customer 4711?', '--confidential');
  expect((await cli.asExpert('show', confidential)).stdout).toMatch(/to come from the agent: its question\./);
  expect(JSON.parse((await cli.asExpert('show', confidential, '--json')).stdout)).toMatchObject({
    follows: { question: true },
  });
  expect(await cli.answer(confidential, 'Yes.')).toMatchObject({
    code: 12,
    stderr: expect.stringContaining(`relay pickup ${confidential}`),
  });
});

test('a confidential question that has not come is not answered, not even with --without-parts', async () => {
  const refCode = await cli.ask('Customer 4711?', '--confidential');
  expect((await cli.pickUp(refCode, '--wait', '1s')).code).toBe(0);
  expect(await cli.answer(refCode, 'Yes.', '--without-parts', '--even-if-newer')).toMatchObject({
    code: 12,
    stderr: expect.stringContaining('the agent has announced the question'),
  });
  const { responseCount } = await agent().findByRef(refCode);
  expect(responseCount).toBe(0);
});
