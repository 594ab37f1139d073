import type { Option } from "commander";
import { choices } from "../core/input/choices.ts";

/** The fixed values of a flag, also of one that the command checks itself; undefined for a free text. */
export const choicesOf = ({ argChoices, flags }: Option): readonly string[] | undefined =>
  argChoices ?? (flags === "--type <type>" ? choices.feedbackTypes : undefined);
