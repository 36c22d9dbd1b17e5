export type { Arguments } from './arguments-form.ts';
export { type ApprovalOptions, decideToolCalls, refusalOf, type ToolDecision } from './decide.ts';
export type { ToolCall } from './tool-call.ts';
