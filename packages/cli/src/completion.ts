import { CliError } from "./cli-error.ts";

/** What the completion needs of a command. */
interface CompletedCommand {
  readonly summary: string;
  readonly options: readonly string[];
  readonly words?: readonly string[];
}

type Commands = Readonly<Record<string, CompletedCommand>>;
type Options = Readonly<Record<string, { readonly type: string }>>;

/** The script that completes `parley` in a shell. @throws CliError for another shell */
export function completion(shell: string | undefined, commands: Commands, options: Options): string {
  switch (shell) {
    case "bash":
      return bash(commands);
    case "zsh":
      return zsh(commands);
    case "fish":
      return fish(commands, options);
    default:
      throw new CliError("Missing or unknown shell. Use completion bash, zsh or fish.");
  }
}

function candidates({ options, words = [] }: CompletedCommand): string {
  return [...words, ...options.map((name) => `--${name}`), "--help"].join(" ");
}

/** Both shells complete by the second word of the line. */
function cases(commands: Commands): string {
  return Object.entries(commands)
    .map(([name, command]) => `    ${name}) candidates="${candidates(command)}" ;;`)
    .join("\n");
}

function bash(commands: Commands): string {
  return `_parley() {
  local candidates="" current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then candidates="${Object.keys(commands).join(" ")} --help"
  else case "\${COMP_WORDS[1]}" in
${cases(commands)}
  esac; fi
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _parley parley`;
}

function zsh(commands: Commands): string {
  const described = Object.entries(commands).map(
    ([name, { summary }]) => `    "${name}:${summary.replace(/["$`\\:]/g, "")}"`,
  );
  return `_parley() {
  local candidates=""
  local -a names
  names=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then _describe command names; return; fi
  case "\${words[2]}" in
${cases(commands)}
  esac
  compadd -- \${=candidates}
}
compdef _parley parley`;
}

function fish(commands: Commands, options: Options): string {
  const quoted = (text: string) => `'${text.replace(/['\\]/g, "")}'`;
  const lines = Object.entries(commands).flatMap(([name, { summary, options: names, words = [] }]) => [
    `complete -c parley -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...words.map((word) => `complete -c parley -n '__fish_seen_subcommand_from ${name}' -a ${word}`),
    ...names.map((option) => {
      const takesValue = options[option]?.type === "string" ? " -r" : "";
      return `complete -c parley -n '__fish_seen_subcommand_from ${name}' -l ${option}${takesValue}`;
    }),
  ]);
  return ["complete -c parley -f", ...lines].join("\n");
}
