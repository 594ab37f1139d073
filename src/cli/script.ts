import type { Command } from "commander";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { placesOf } from "./places.ts";
import { zshScript } from "./zsh.ts";

const writers = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** The script that completes `innkeep` in a shell: its words stand in it, so that no program starts for them. (rule L51) */
export const completionScript = (shell: keyof typeof writers, program: Command): string =>
  writers[shell](placesOf(program));
