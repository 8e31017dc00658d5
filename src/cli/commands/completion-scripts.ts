import type { CompletionPlace } from './completion-places';

const HEAD = '# Completes quartz. Made by `quartz completion`; make it again after an update.';

/** For bash, 3.2 and later. */
export function bashScript(places: readonly CompletionPlace[]): string {
  return `${HEAD}
_quartz() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place="" word answers=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$place $word" in
      ${paths(places)}) place="$place $word" ;;
      *) break ;;
    esac
  done
  COMPREPLY=()
  case "$place $previous" in
${values(places, (words) => `answers="${words}"`)}
    ${openOptions(places)}) return ;;
  esac
  if [ -z "$answers" ]; then
    case "$place" in
${words(places, (all) => `answers="${all}"`)}
    esac
  fi
  COMPREPLY=($(compgen -W "$answers" -- "$current"))
}
complete -o default -F _quartz quartz
`;
}

/** For zsh. */
export function zshScript(places: readonly CompletionPlace[]): string {
  return `#compdef quartz
${HEAD}
_quartz() {
  local place="" word previous="\${words[CURRENT-1]}"
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      ${paths(places)}) place="$place $word" ;;
      *) break ;;
    esac
  done
  case "$place $previous" in
${values(places, (all) => `compadd -- ${all}; return`)}
    ${openOptions(places)}) _files; return ;;
  esac
  case "$place" in
${words(places, (all) => `compadd -- ${all}`)}
  esac
}
if [ "$funcstack[1]" = "_quartz" ]; then _quartz "$@"; else compdef _quartz quartz; fi
`;
}

/** For fish. */
export function fishScript(places: readonly CompletionPlace[]): string {
  const lines = places.flatMap(({ path, commands, options }) => [
    ...commands.map(({ word, text }) => `-n '__quartz_at "${path}"' -f -a ${word} -d ${quoted(text)}`),
    ...options.map(({ word, text, value }) => {
      const answers = value === 'none' ? '' : typeof value === 'string' ? ' -r' : ` -x -a '${value.join(' ')}'`;
      return `-n '__quartz_in "${path}"' -l ${word.slice(2)}${answers} -d ${quoted(text)}`;
    }),
  ]);
  return `${HEAD}
function __quartz_given
    set -l given (commandline -opc)
    set -e given[1]
    string join ' ' -- (string match -v -- '-*' $given)
end
function __quartz_at
    set -l given (__quartz_given)
    test "$given" = "$argv[1]"
end
function __quartz_in
    test -z "$argv[1]"; and __quartz_at ''; and return
    set -l given (__quartz_given)
    test -n "$argv[1]"; and string match -q -- "$argv[1] *" "$given "
end
${lines.map((line) => `complete -c quartz ${line}`).join('\n')}
`;
}

const spaced = (path: string) => (path === '' ? '' : ` ${path}`);

/** All places behind the first word, as patterns. */
function paths(places: readonly CompletionPlace[]): string {
  return places.flatMap(({ path }) => (path === '' ? [] : [`"${spaced(path)}"`])).join('|');
}

/** Behind an option with known values: those. */
function values(places: readonly CompletionPlace[], answer: (all: string) => string): string {
  const lines = places.flatMap(({ path, options }) =>
    options.flatMap(({ word, value }) =>
      typeof value === 'string' ? [] : [`    "${spaced(path)} ${word}") ${answer(value.join(' '))} ;;`],
    ),
  );
  return lines.join('\n');
}

/** Behind these comes a value that the shell cannot know; a file is its guess. */
function openOptions(places: readonly CompletionPlace[]): string {
  const all = places.flatMap(({ options }) =>
    options.flatMap(({ word, value }) => (value === 'file' || value === 'any' ? [word] : [])),
  );
  return [...new Set(all)].map((word) => `*" ${word}"`).join('|');
}

function words(places: readonly CompletionPlace[], answer: (all: string) => string): string {
  return places
    .map(({ path, commands, options }) => {
      const all = [...commands, ...options].map(({ word }) => word).join(' ');
      return `      "${spaced(path)}") ${answer(all)} ;;`;
    })
    .join('\n');
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, (character) => `\\${character}`)}'`;
}
