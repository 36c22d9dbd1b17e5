import { exactTexts, longText } from '@expert-relay/testkit';
import { describe, test } from '@jest/globals';
import { expectAllShown, saidTexts } from './testing/said-texts.ts';
import { useAgent, useTestCli } from './testing/test-cli.ts';

/* The same as `exact-texts` with each text in each field, short and of 40 kB. */

const cli = useTestCli();
useAgent(cli);

describe.each(Object.entries(exactTexts))('%s', (_, text) => {
  test.each([
    ['short', text],
    ['40 kB', longText(text)],
  ])('is shown in each field as it was written: %s', async (_size, whole) => {
    await expectAllShown(
      cli,
      saidTexts((field) => `${field}: ${whole}`),
    );
  });
});
