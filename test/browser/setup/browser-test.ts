import { findTool, whyMissing } from '../../../scripts/servers/find-tool.ts';
import { testUnless } from '../../../scripts/testing/test-unless.ts';
import { chromium } from '../../tools.ts';

/** Tests that are skipped where Chromium is missing and cannot be fetched. */
export const browserTest = testUnless(whyMissing(await findTool(chromium)));
