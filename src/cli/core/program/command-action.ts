import type { Command } from "commander";
import type { Exit } from "../failures/exit-codes.ts";
import type { Context, GlobalFlags, Invocation } from "./context.ts";
import { startInvocation } from "./invocation.ts";

/** What a group of commands is built with: the world, and where each leaves how it ended. */
export interface Setup {
  readonly context: Context;
  readonly outcome: { exit: Exit };
  /** The commands are a tester's: they go to the server of the last sign-in where none is named. */
  readonly asTester?: boolean;
}

/** What a group of a tester's commands is built with. */
export const forTester = (setup: Setup): Setup => ({ ...setup, asTester: true });

/**
 * Gives a command what it does: `flags` are its own and the global ones, `argument` its positional argument (an array
 * where the argument is variadic). It ends `ok` unless it returns another exit or throws.
 */
export function commandAction<Flags extends object, Argument = undefined>(
  command: Command,
  { context, outcome, asTester }: Setup,
  run: (invocation: Invocation, flags: Flags & GlobalFlags, argument: Argument) => Promise<Exit | undefined>,
): void {
  command.action(async () => {
    const flags = command.optsWithGlobals<Flags & GlobalFlags>();
    const [argument] = command.processedArgs;
    outcome.exit = (await run(startInvocation(context, flags, asTester), flags, argument)) ?? "ok";
  });
}
