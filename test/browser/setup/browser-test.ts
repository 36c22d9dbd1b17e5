import { findTool, whyMissing } from '../../../scripts/servers/find-tool.ts';
import { chromium } from '../../../scripts/servers/tools.ts';
import { testUnless } from '../../../scripts/testing/test-unless.ts';

/** Tests that are skipped where Chromium is missing and cannot be fetched. */
export const browserTest = testUnless(whyMissing(await findTool(chromium)));
