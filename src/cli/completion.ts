import { Argument, type Command } from "commander";
import { commandAction, type Setup } from "./core/command.ts";
import { printOne } from "./core/output.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

export function addCompletion(completion: Command, setup: Setup): void {
  completion
    .addArgument(new Argument("<shell>", "your shell").choices(shells))
    .addHelpText(
      "after",
      "\nFor zsh, name the file `_innkeep` in a folder of your fpath. See docs/terminal.md.",
    );
  commandAction<object, Shell>(completion, setup, async (invocation, _, shell) => {
    const { completionScript } = await import("./script.ts");
    const script = completionScript(shell, completion.parent ?? completion);
    printOne(invocation, { shell, script }, () => script.trimEnd());
  });
}
