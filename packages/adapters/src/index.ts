export type { Arguments } from './arguments-form.ts';
export { askExpert, askExpertDefinition } from './ask-expert.ts';
export { type ApprovalOptions, decideToolCalls, refusalOf, type ToolDecision } from './decide-tool-calls.ts';
export { DeclinedError, type RequireApprovalOptions, requireApproval } from './require-approval.ts';
export type { RunOptions } from './run-options.ts';
export type { ToolCall } from './tool-call.ts';
