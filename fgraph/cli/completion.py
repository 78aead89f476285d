"""Completion scripts for shells, made from the command table; nothing of the user's is ever edited."""

import os
from collections.abc import Callable

from fgraph import errors
from fgraph.cli import table
from fgraph.cli.catalogue import COMMANDS
from fgraph.cli.table import FLAG, Command, Option

HOMES = {
    "bash": ("XDG_DATA_HOME", "~/.local/share", "bash-completion/completions/fgraph"),
    "zsh": ("XDG_DATA_HOME", "~/.local/share", "zsh/site-functions/_fgraph"),
    "fish": ("XDG_CONFIG_HOME", "~/.config", "fish/completions/fgraph.fish"),
}


def script(shell: str) -> str:
    """The script of one shell."""
    return SCRIPTS[shell]()


def root_request(shell: str | None, *, install: bool) -> str:
    """What --show-completion and --install-completion print: the script, or where it was written.

    Without a `shell` the one that SHELL names is meant.
    """
    name = os.path.basename(os.environ.get("SHELL", "")) if shell is None else shell
    if name not in SCRIPTS:
        raise errors.Unsupported(
            f"the shell is {errors.quote(name)}", hint=f"use completion {'|'.join(SCRIPTS)} and save what it prints"
        )
    return _install(name) if install else script(name)


def _install(shell: str) -> str:
    variable, default, below = HOMES[shell]
    path = os.path.join(os.environ.get(variable) or os.path.expanduser(default), below)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        out.write(script(shell))
    hint = f"; zsh reads it when {os.path.dirname(path)} is in fpath" if shell == "zsh" else ""
    return f"wrote {path}; it works in new shells{hint}\n"


# -- what can be completed --------------------------------------------------------------------------------------------


def _flags(command: Command) -> str:
    return " ".join(option.flag for option in table.accepted(command))


def _words(command: Command) -> str:
    return " ".join(word for argument in command.arguments for word in argument.choices)


# -- bash -------------------------------------------------------------------------------------------------------------

BASH = """\
# bash completion of fgraph; source it, or save it as
# ~/.local/share/bash-completion/completions/fgraph
_fgraph() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="" index
    COMPREPLY=()
    for ((index = 1; index < COMP_CWORD; index++)); do
        case "${{COMP_WORDS[index]}}" in
            {taking}) index=$((index + 1)) ;;
            -*) ;;
            *) command="${{COMP_WORDS[index]}}"; break ;;
        esac
    done
    case "$command $before" in
        {naming}) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")); return ;;
{values}
    esac
    if [[ "$current" == @* ]]; then
        compopt -o nospace 2>/dev/null
        COMPREPLY=($(compgen -P @ -f -- "${{current#@}}")); return
    fi
    local options="{root}" words="{commands}"
    case "$command" in
{cases}
    esac
    if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current")); return; fi
    case "$command" in
        {files}) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    esac
}}
complete -F _fgraph fgraph fgraph.py
"""


def _bash() -> str:
    values = [_bash_values("*", table.ROOT)]
    values += [_bash_values(name, command.options) for name, command in COMMANDS.items()]
    cases = "\n".join(
        f'        {name}) options="{_flags(command)}"; words="{_words(command)}" ;;'
        for name, command in COMMANDS.items()
    )
    return BASH.format(
        taking="|".join(_flags_of(lambda option: option.kind != FLAG)),
        naming="|".join(f'*" {flag}"' for flag in _flags_of(lambda option: option.files)),
        values="\n".join(filter(None, values)),
        root=" ".join(option.flag for option in (*table.ROOT, *table.ROOT_ONLY)),
        commands=" ".join(COMMANDS),
        cases=cases,
        files="|".join(_with_files()),
    )


def _bash_values(command: str, options: tuple[Option, ...]) -> str:
    """Cases for the words that may follow an option of a command; options of one name differ between commands."""
    cases = []
    for option in options:
        if option.choices:
            words = " ".join(option.choices)
            reply = f'COMPREPLY=($(compgen -W "{words}" -- "$current")); return'
            cases.append(f'        {command}" {option.flag}") {reply} ;;')
    return "\n".join(cases)


def _flags_of(chosen: Callable[[Option], bool]) -> list[str]:
    """The chosen ones of all options, each once."""
    every = [*table.ROOT, *(option for command in COMMANDS.values() for option in command.options)]
    return list(dict.fromkeys(option.flag for option in every if chosen(option)))


def _with_files() -> list[str]:
    return [name for name, command in COMMANDS.items() if any(argument.files for argument in command.arguments)]


# -- zsh --------------------------------------------------------------------------------------------------------------

ZSH = """\
#compdef fgraph fgraph.py
# zsh completion of fgraph; save it as _fgraph in a folder of $fpath
_fgraph() {{
    local -a commands
    commands=(
{commands}
    )
    local context state state_descr line
    typeset -A opt_args
    _arguments -C {root} '1:command:->command' '*::argument:->argument'
    case $state in
        command) _describe command commands ;;
        argument)
            case $line[1] in
{cases}
            esac ;;
    esac
}}
if [ "$funcstack[1]" = "_fgraph" ]; then _fgraph "$@"; else compdef _fgraph fgraph fgraph.py; fi
"""


def _zsh() -> str:
    commands = "\n".join(f"        {_zsh_quoted(f'{name}:{command.summary}')}" for name, command in COMMANDS.items())
    cases = "\n".join(
        f"                {name}) _arguments {_zsh_specs(command)} ;;" for name, command in COMMANDS.items()
    )
    root = " ".join(map(_zsh_option, (*table.ROOT, *table.ROOT_ONLY)))
    return ZSH.format(commands=commands, root=root, cases=cases)


def _zsh_specs(command: Command) -> str:
    return " ".join([*map(_zsh_option, table.accepted(command)), *_zsh_arguments(command)])


def _zsh_option(option: Option) -> str:
    text = option.help.replace("[", "(").replace("]", ")").replace(":", " ")
    star = "*" if option.repeat else ""
    if option.kind == FLAG:
        return _zsh_quoted(f"{star}{option.flag}[{text}]")
    values = f"({' '.join(option.choices)})" if option.choices else "_files" if option.files else ""
    return _zsh_quoted(f"{star}{option.flag}=[{text}]:{option.field}:{values}")


def _zsh_arguments(command: Command) -> list[str]:
    specs = []
    for number, argument in enumerate(command.arguments, 1):
        values = f"({' '.join(argument.choices)})" if argument.choices else "_files"
        specs.append(_zsh_quoted(f"{number}:{argument.field}:{values}"))
    return specs


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# -- fish -------------------------------------------------------------------------------------------------------------


def _fish() -> str:
    lines = [
        "# fish completion of fgraph; save it as ~/.config/fish/completions/fgraph.fish",
        "complete -c fgraph -f",
    ]
    for option in (*table.ROOT, *table.ROOT_ONLY):
        lines.append(f"complete -c fgraph -n __fish_use_subcommand {_fish_option(option)}")
    for name, command in COMMANDS.items():
        seen = f"'__fish_seen_subcommand_from {name}'"
        lines.append(f"complete -c fgraph -n __fish_use_subcommand -a {name} -d {_fish_quoted(command.summary)}")
        lines += [f"complete -c fgraph -n {seen} {_fish_option(option)}" for option in table.accepted(command)]
        if _words(command):
            lines.append(f"complete -c fgraph -n {seen} -a {_fish_quoted(_words(command))}")
        if any(argument.files for argument in command.arguments):
            lines.append(f"complete -c fgraph -n {seen} -F")
    return "\n".join(lines) + "\n"


def _fish_option(option: Option) -> str:
    taking = (
        "" if option.kind == FLAG else " -r" if option.files else f" -x -a {_fish_quoted(' '.join(option.choices))}"
    )
    return f"-l {option.flag[2:]}{taking}{' -F' if option.files else ''} -d {_fish_quoted(option.help)}"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
