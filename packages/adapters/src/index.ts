export type { Arguments } from './arguments-form.ts';
export { type ApprovalOptions, decideToolCalls, refusalOf, type ToolDecision } from './decide-tool-calls.ts';
export type { ToolCall } from './tool-call.ts';
