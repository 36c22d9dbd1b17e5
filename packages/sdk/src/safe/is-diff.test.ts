import { expect, test } from '@jest/globals';
import { isDiff } from './is-diff.ts';

test.each([
  ['diff --git a/x b/x\n', true],
  ['--- a/x\n+++ b/x\n', true],
  ['@@ -1 +1 @@\n', true],
  ['---\ntitle: x\n---\n', false],
  ['---', false],
  ['@@name', false],
  ['diff --github', false],
  [' diff --git a/x b/x', false],
  ['', false],
])('%j is a diff: %j', (text, is) => expect(isDiff(text)).toBe(is));
