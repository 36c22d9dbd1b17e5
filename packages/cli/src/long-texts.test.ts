import { exactTexts, longText } from '@expert-relay/testkit';
import { test } from '@jest/globals';
import { expectAllShown, saidTexts } from './testing/said-texts.ts';
import { useAgent, useTestCli } from './testing/test-cli.ts';

/* The same as `exact-texts`, with 40 kB in each field. */

const cli = useTestCli();
useAgent(cli);
const longTexts = Object.values(exactTexts).map((text) => longText(text));

test('40 kB are shown in each field as they were written', async () => {
  await expectAllShown(
    cli,
    saidTexts((field) => `${field}: ${longTexts[field % longTexts.length]}`),
  );
});
