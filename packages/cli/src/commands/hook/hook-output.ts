import type { ToolCall } from './hook-input.ts';

/** What is decided about a call, in the words of `PermissionRequest`. */
export type CallDecision =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: object;
      readonly updatedPermissions?: readonly object[];
    }
  | { readonly behavior: 'deny'; readonly message: string };

/** What the program reads from stdout. */
export function outputOf({ hook_event_name: hookEventName }: ToolCall, decision: CallDecision): object {
  if (hookEventName === 'PermissionRequest') return { hookSpecificOutput: { hookEventName, decision } };
  const { behavior: permissionDecision, ...rest } = decision;
  const given = 'message' in rest ? { permissionDecisionReason: rest.message } : rest;
  return { hookSpecificOutput: { hookEventName, permissionDecision, ...given } };
}

/** Where nothing is decided before a call: without it, the program could run the tool without asking anybody. */
export const askUser = (why: string): object => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'ask',
    permissionDecisionReason: why,
  },
});
