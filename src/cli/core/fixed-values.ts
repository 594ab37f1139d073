import type { Argument, Option } from "commander";
import { choices } from "./choices.ts";
import { allKinds, wordOf } from "./credential-names.ts";
import { profileKeys } from "./settings.ts";

/** The fixed values of a flag, also of one that the command checks itself; undefined for a free text. */
export const choicesOf = ({ argChoices, flags }: Option): readonly string[] | undefined =>
  argChoices ?? (flags === "--type <type>" ? choices.feedbackTypes : undefined);

/** The same for an argument. */
export const choicesOfArgument = (argument: Argument): readonly string[] | undefined =>
  argument.argChoices ?? fixed[argument.name()];

/** The values of arguments that the commands check themselves, by the name of the argument. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  kind: allKinds.map(wordOf),
  key: [...profileKeys],
  topic: ["options", "exit-codes", "environment"],
};
