/** What a call that broke before its answer may have done: nothing, or nobody knows. */
export type BreakKind = 'refused' | 'unreached' | 'late' | 'broken';

const unreached = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

export function breakKind(error: NodeJS.ErrnoException): BreakKind {
  if (error.code === 'ECONNREFUSED') return 'refused';
  const neverConnected = unreached.has(error.code ?? '') || error.syscall === 'connect';
  return neverConnected ? 'unreached' : 'broken';
}
