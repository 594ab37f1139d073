import { Command, Help } from "commander";
import { usageError } from "./core/cli-error.ts";
import { commandAction, type Setup } from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import { exitCodes } from "./core/exit-codes.ts";
import { mutates } from "./core/flags.ts";
import { printList, printOne } from "./core/output.ts";
import { variables } from "./environment.ts";

export function addHelp(help: Command, setup: Setup): void {
  help.argument("[topic...]", "a command, `options`, `exit-codes` or `environment`");
  commandAction<object, readonly string[]>(help, setup, (invocation, _, topic) =>
    explain(invocation, help, topic),
  );
}

async function explain(invocation: Invocation, help: Command, topic: readonly string[]): Promise<undefined> {
  if (topic[0] === "exit-codes") return listExitCodes(invocation);
  if (topic[0] === "environment") return listEnvironment(invocation);
  if (topic[0] === "options") return listOptions(invocation, help.parent ?? help);
  let command = help.parent ?? help;
  for (const word of topic) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (!next)
      throw usageError(`There is no help on \`${topic.join(" ")}\`.`, "`innkeep help` lists the commands.");
    command = next;
  }
  if (invocation.flags.json) printOne(invocation, descriptionOf(command), () => "");
  else command.outputHelp();
}

/** Prints the commands for programs. */
const descriptionOf = (command: Command) => ({
  name: command.name(),
  summary: command.description(),
  arguments: command.registeredArguments.map((one) => ({ name: one.name(), required: one.required })),
  flags: command.options.map(({ flags, description, mandatory }) => ({
    flags,
    description,
    required: mandatory,
  })),
  commands: new Help()
    .visibleCommands(command)
    .map((one) => ({ name: one.name(), summary: one.description() })),
});

function listExitCodes(invocation: Invocation): undefined {
  const rows = Object.entries(exitCodes).map(([name, row]) => ({ name, ...row }));
  printList(invocation, {
    items: rows,
    columns: [
      { heading: "code", of: ({ code }) => code },
      { heading: "meaning", of: ({ meaning }) => meaning },
    ],
  });
}

/** The options that every command takes, and those of each command that changes something. */
function listOptions(invocation: Invocation, program: Command): undefined {
  const rows = [
    ...program.options.map((option) => ({ option, commands: "every command" })),
    ...mutates(new Command()).options.map((option) => ({ option, commands: "every change" })),
  ];
  printList(invocation, {
    items: rows.map(({ option: { flags, description }, commands }) => ({ flags, description, commands })),
    columns: [
      { heading: "option", of: ({ flags }) => flags },
      { heading: "of", of: ({ commands }) => commands },
      { heading: "meaning", of: ({ description }) => description },
    ],
  });
}

function listEnvironment(invocation: Invocation): undefined {
  printList(invocation, {
    items: variables,
    columns: [
      { heading: "variable", of: ({ name }) => name },
      { heading: "meaning", of: ({ meaning }) => meaning },
    ],
  });
}
