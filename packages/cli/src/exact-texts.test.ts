import { exactTexts } from '@expert-relay/testkit';
import { test } from '@jest/globals';
import { expectAllShown, saidTexts } from './testing/said-texts.ts';
import { useAgent, useTestCli } from './testing/test-cli.ts';

/*
 * What an agent wrote is shown as it was written: no character is missing or in another order. Each text is in another field, since
 * one function prints them all.
 */

const cli = useTestCli();
useAgent(cli);
const texts = Object.values(exactTexts);

test('each field of an agent is shown as it was written, by each command of the expert', async () => {
  await expectAllShown(
    cli,
    saidTexts((field) => texts[field % texts.length] ?? ''),
  );
});
