import type { Command } from '../../arguments/command.ts';
import { helpTopics } from '../../help.ts';

/** A script for each shell, made of the commands and their options. */
export const scripts = { bash, zsh, fish } as const;

function bash(commands: readonly Command[]): string {
  const choices = optionsWith(commands, (value) => value.includes('|'));
  return `_relay() {
  local word=\${COMP_WORDS[COMP_CWORD]} given= list= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == -* ]] || given+="\${given:+ }\${COMP_WORDS[i]}"
  done
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD - 1]}" in
${choices.map(({ path, value }) => `    ${quote(path)}) list=${quote(value.replaceAll('|', ' '))} ;;`).join('\n')}
${optionsWith(commands, (value) => !value.includes('|'))
  .map(({ path }) => `    ${quote(path)}) return ;;`)
  .join('\n')}
  esac
  if [[ -z $list && $word == -* ]]; then
    case "\${COMP_WORDS[1]}" in
${commands.map(({ name, options }) => `      ${name}) list=${quote(Object.keys(options).map(flag).join(' '))} ;;`).join('\n')}
    esac
  elif [[ -z $list ]]; then
    case $given in
${wordLists(commands)
  .map(
    ({ given, words }) => `      ${quote(given)}) list=${quote(words.map(({ word }) => word).join(' '))} ;;`,
  )
  .join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$list" -- "$word"))
}
complete -o bashdefault -o default -F _relay relay
`;
}

function zsh(commands: readonly Command[]): string {
  const entry = (word: string, help: string) => quote(help === '' ? word : `${word}:${help}`);
  return `_relay() {
  local given= word
  local -a list
  for word in \${words[2,CURRENT-1]}; do
    [[ $word == -* ]] || given+="\${given:+ }$word"
  done
  case "$words[2] $words[CURRENT-1]" in
${optionsWith(commands, (value) => value.includes('|'))
  .map(({ path, value }) => `    (${quote(path)}) list=(${value.replaceAll('|', ' ')}) ;;`)
  .join('\n')}
${optionsWith(commands, (value) => !value.includes('|'))
  .map(({ path }) => `    (${quote(path)}) _files; return ;;`)
  .join('\n')}
  esac
  if (( ! $#list )) && [[ $PREFIX == -* ]]; then
    case $words[2] in
${commands
  .map(({ name, options }) => {
    const entries = Object.entries(options).map(([option, { help }]) => entry(flag(option), brief(help)));
    return `      (${name}) list=(${entries.join(' ')}) ;;`;
  })
  .join('\n')}
    esac
  elif (( ! $#list )); then
    case $given in
${wordLists(commands)
  .map(
    ({ given, words }) =>
      `      (${quote(given)}) list=(${words.map(({ word, help }) => entry(word, help)).join(' ')}) ;;`,
  )
  .join('\n')}
    esac
  fi
  if (( $#list )); then _describe -o relay list; else _files; fi
}
compdef _relay relay
`;
}

function fish(commands: readonly Command[]): string {
  const text = (words: string) => `'${words.replaceAll(/['\\]/g, '\\$&')}'`;
  const lines: string[] = [];
  for (const { given, words } of wordLists(commands)) {
    const isGiven = given.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const isNext = `not __fish_seen_subcommand_from ${words.map(({ word }) => word).join(' ')}`;
    const when = given === '' ? '__fish_use_subcommand' : [...isGiven, isNext].join('; and ');
    for (const { word, help } of words)
      lines.push(`-n ${text(when)} -f -a ${word}${help === '' ? '' : ` -d ${text(help)}`}`);
  }
  for (const { name, options } of commands)
    for (const [option, { value = '', help }] of Object.entries(options)) {
      const choices = value.includes('|') ? ` -f -a ${text(value.replaceAll('|', ' '))}` : '';
      const takes = value === '' ? '' : ` -r${choices}`;
      lines.push(
        `-n ${text(`__fish_seen_subcommand_from ${name}`)} -l ${option}${takes} -d ${text(brief(help))}`,
      );
    }
  return lines.map((line) => `complete -c relay ${line}\n`).join('');
}

interface WordList {
  /** The words before, without options. */
  readonly given: string;
  readonly words: readonly { readonly word: string; readonly help: string }[];
}

/** The words that can follow: the commands, and those that their `usage` names, such as `make` after `keys`. */
function wordLists(commands: readonly Command[]): WordList[] {
  const lists = new Map<string, Set<string>>();
  for (const { name, usage } of commands)
    for (const way of usage) {
      let before = [name];
      for (const part of way.split(' ')) {
        if (!/^[a-z-]+(\|[a-z-]+)*$/.test(part) || part.startsWith('-')) break;
        const words = part.split('|');
        for (const given of before) lists.set(given, new Set([...(lists.get(given) ?? []), ...words]));
        before = before.flatMap((given) => words.map((word) => `${given} ${word}`));
      }
    }
  const named = commands.map(({ name, summary }) => ({ word: name, help: brief(summary) }));
  const topics = helpTopics.map((word) => ({ word, help: '' }));
  return [
    { given: '', words: [...named, { word: 'help', help: 'how a command is called' }] },
    { given: 'help', words: [...named, ...topics] },
    ...[...lists].map(([given, words]) => ({ given, words: [...words].map((word) => ({ word, help: '' })) })),
  ];
}

/** The options whose value is like this, each as `command --option`. */
const optionsWith = (commands: readonly Command[], isSuch: (value: string) => boolean) =>
  commands.flatMap(({ name, options }) =>
    Object.entries(options).flatMap(([option, { value }]) =>
      value !== undefined && isSuch(value) ? [{ path: `${name} ${flag(option)}`, value }] : [],
    ),
  );

const flag = (option: string): string => `--${option}`;

/** The first part of a sentence. */
const brief = (help: string): string => help.split(/[:;,.(]/)[0]?.trim() ?? '';

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
