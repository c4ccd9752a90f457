import type { Command } from 'commander';
import { modes } from '../../envoy/export/modes.ts';
import { roles } from '../../pdp/model/request.ts';
import { trustLevels } from '../../pdp/model/trust.ts';
import { documentKinds, words } from '../export/flags.ts';
import { exit, Failure } from '../failure.ts';
import type { Terminal } from '../terminal/output.ts';

/** Options whose values are known, wherever they take one: in some commands `--shadow` stands alone. */
const values: Readonly<Record<string, readonly string[]>> = {
  '--trust': trustLevels,
  '--as-caller': roles,
  '--tier': ['0', '1', '2', '3', '4'],
  '--as': documentKinds,
  '--mode': modes,
  ...words,
};

interface Word {
  readonly word: string;
  readonly about: string;
}

interface Level {
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  /** Of these, those whose values are known. */
  readonly valued: readonly string[];
}

function levelsOf(command: Command, path: string): Level[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const all = help.visibleOptions(command);
  const options = all.flatMap(({ long, description }) => (long ? [{ word: long, about: description }] : []));
  const valued = all.flatMap(({ long, required }) =>
    required && long && Object.hasOwn(values, long) ? [long] : [],
  );
  return [
    {
      path,
      commands: commands.map((child) => ({ word: child.name(), about: child.description() })),
      options,
      valued,
    },
    ...commands.flatMap((child) => levelsOf(child, `${path} ${child.name()}`.trim())),
  ];
}

function namesOf(words: readonly Word[]): string {
  return words.map(({ word }) => word).join(' ');
}

/** Each option with its command, and its values. */
function valuesOf(levels: readonly Level[], show: (values: string) => string): string {
  return levels
    .flatMap(({ path, valued }) =>
      valued.map((option) => `    '${path} ${option}') ${show((values[option] ?? []).join(' '))}; return ;;`),
    )
    .join('\n');
}

function bash(levels: readonly Level[]): string {
  const known = levels.map(({ path }) => path).filter((path) => path !== '');
  const cases = levels.map(
    ({ path, commands, options }) =>
      `    '${path}') commands='${namesOf(commands)}'; options='${namesOf(options)}' ;;`,
  );
  const ofOptions = valuesOf(levels, (of) => `mapfile -t COMPREPLY < <(compgen -W '${of}' -- "$current")`);
  return `# bash completion for placet: source <(placet completion bash)
_placet() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' next commands='' options='' help='' i
  ((COMP_CWORD > 1)) && [[ "\${COMP_WORDS[1]}" == help ]] && help=1
  for ((i = help ? 2 : 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in
      ${known.map((path) => `'${path}'`).join(' | ')}) path="$next" ;;
      *) break ;;
    esac
  done
  case "$path \${COMP_WORDS[COMP_CWORD - 1]}" in
${ofOptions}
  esac
  case "$path" in
${cases.join('\n')}
  esac
  if [[ -n "$help" ]]; then
    options=''
  elif [[ "$path" == completion ]]; then
    commands='bash zsh'
  fi
  if [[ "$current" == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  elif [[ -n "$commands$help" ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _placet placet
`;
}

function zshWords(words: readonly Word[]): string {
  return words
    .map(({ word, about }) => `'${word}:${about.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`)
    .join(' ');
}

function zsh(levels: readonly Level[]): string {
  const known = levels.map(({ path }) => path).filter((path) => path !== '');
  const cases = levels.map(
    ({ path, commands, options }) =>
      `    '${path}') commands=(${zshWords(commands)}); options=(${zshWords(options)}) ;;`,
  );
  const ofOptions = valuesOf(levels, (of) => `compadd -- ${of}`);
  return `#compdef placet
# zsh completion for placet: placet completion zsh > ~/.zfunc/_placet
_placet() {
  local path_so_far='' next help='' i
  local -a commands options
  (( CURRENT > 2 )) && [[ "\${words[2]}" == help ]] && help=1
  for ((i = help ? 3 : 2; i < CURRENT; i++)); do
    next="\${path_so_far:+$path_so_far }\${words[i]}"
    case "$next" in
      ${known.map((path) => `'${path}'`).join(' | ')}) path_so_far="$next" ;;
      *) break ;;
    esac
  done
  case "$path_so_far \${words[CURRENT - 1]}" in
${ofOptions}
  esac
  case "$path_so_far" in
${cases.join('\n')}
  esac
  if [[ -n "$help" ]]; then
    options=()
  elif [[ "$path_so_far" == completion ]]; then
    commands=('bash' 'zsh')
  fi
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe 'option' options
  elif (( \${#commands} )); then
    _describe 'command' commands
  elif [[ -z "$help" ]]; then
    _files
  fi
}
# Either the file of an autoloaded function, or sourced.
if [[ "\${funcstack[1]}" == _placet ]]; then
  _placet "$@"
else
  compdef _placet placet
fi
`;
}

export async function completion(terminal: Terminal, program: Command, shell: string): Promise<number> {
  const scripts: Readonly<Record<string, (levels: readonly Level[]) => string>> = { bash, zsh };
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined)
    throw new Failure(exit.usage, `${shell}: no completion for this shell`, 'bash or zsh');
  await terminal.out.write(script(levelsOf(program, '')));
  return exit.ok;
}
