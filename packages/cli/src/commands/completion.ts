import { type Command, defineCommand } from '../arguments/command.ts';
import { Failure } from '../failure.ts';
import { scripts } from './completion/scripts.ts';

const isShell = (word: string): word is keyof typeof scripts => Object.hasOwn(scripts, word);

/** Completes these commands, and itself. */
export const completionOf = (commands: readonly Command[]): Command => {
  const completion = defineCommand({
    name: 'completion',
    summary: 'a script with which a shell completes commands and options',
    usage: ['bash|zsh|fish'],
    about:
      'Prints the script for a shell, which completes `relay` where it is installed globally. Put its line of the examples into ~/.bashrc, into ~/.zshrc behind `compinit`, or into ~/.config/fish/config.fish.',
    options: {},
    examples: [
      'source <(relay completion bash)',
      'source <(relay completion zsh)',
      'relay completion fish | source',
    ],
    words: [1, 1],
    startsWithWrongSettings: true,
    async run({ out }, { words: [shell = ''] }) {
      if (!isShell(shell))
        throw new Failure('usage', `There is no completion for "${shell}": only for bash, zsh and fish.`);
      out.exact(scripts[shell]([...commands, completion]));
      return 'done';
    },
  });
  return completion;
};
