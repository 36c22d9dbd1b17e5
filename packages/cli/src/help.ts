import type { Command, Options } from './arguments/command.ts';
import { nearest } from './arguments/nearest.ts';
import { variables } from './config.ts';
import { exitCodes } from './exit-codes.ts';
import { Failure } from './failure.ts';
import type { Screen } from './terminal/screen.ts';

/** What `relay help` takes besides commands. */
export const helpTopics = ['environment', 'exit-codes'] as const;

/** `relay help [command | environment | exit-codes]`. */
export function showHelp(out: Screen, commands: readonly Command[], topic: string | undefined): void {
  if (topic === undefined) showOverview(out, commands);
  else if (topic === 'environment') showEnvironment(out);
  else if (topic === 'exit-codes') showExitCodes(out);
  else showCommand(out, findCommand(commands, topic));
}

export function findCommand(commands: readonly Command[], name: string): Command {
  const command = commands.find((each) => each.name === name);
  if (command) return command;
  const meant = nearest(
    name,
    commands.map((each) => each.name),
  );
  const next = meant ? ` Did you mean \`relay ${meant}\`?` : '';
  throw new Failure('usage', `There is no \`relay ${name}\`.${next}\nAll commands: relay help`);
}

function showOverview(out: Screen, commands: readonly Command[]): void {
  out.paragraph('Ask a human expert from the command line, or answer as one.');
  out.line();
  showTable(
    out,
    commands.map(({ name, summary }) => [`relay ${name}`, summary]),
  );
  out.line();
  showTable(out, [
    ['relay help COMMAND', 'its options, with examples'],
    ['relay help environment', 'the variables it reads: RELAY_URL, RELAY_API_KEY and others'],
    ['relay help exit-codes', 'how a command ended, for scripts'],
  ]);
}

function showCommand(out: Screen, { name, summary, usage, about, options, examples }: Command): void {
  out.paragraph(summary.replace(/^./, (letter) => letter.toUpperCase()));
  out.line();
  for (const way of usage) out.line(out.paint('bold', out.typed(`  relay ${name} ${way}`.trimEnd())));
  out.line();
  out.paragraph(about);
  if (Object.keys(options).length > 0) {
    out.line();
    showTable(out, describeOptions(options));
  }
  if (examples.length === 0) return;
  out.line();
  for (const example of examples) out.line(out.typed(`  ${example}`));
}

function describeOptions(options: Options): [string, string][] {
  return Object.entries(options).map(([name, { value, help }]) => [
    value ? `--${name} ${value}` : `--${name}`,
    help,
  ]);
}

function showEnvironment(out: Screen): void {
  showTable(out, Object.entries(variables));
}

function showExitCodes(out: Screen): void {
  showTable(
    out,
    Object.entries(exitCodes).map(([name, { code, means }]) => [
      `${String(code).padStart(3)}  ${name}`,
      means,
    ]),
  );
}

function showTable(out: Screen, rows: readonly (readonly [string, string])[]): void {
  const column = Math.max(...rows.map(([term]) => out.typed(`  ${term}`).length)) + 2;
  for (const [term, meaning] of rows) out.entry(out.typed(`  ${term}`), meaning, { column, style: 'bold' });
}
