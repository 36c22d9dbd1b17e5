import { type ParseArgsConfig, parseArgs } from 'node:util';
import { StartupError } from '@expert-relay/kit/lifecycle';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

/** The values of a command's options; what it does not know is answered with its usage. */
export function parseOptions<const O extends Options>(
  args: readonly string[],
  options: O,
  usage: string,
): Values<O> {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n\n${usage}`);
  }
}
