import type { Command } from "commander";

/** The flags of a command that changes something. */
export const mutates = (command: Command): Command =>
  command
    .option("--dry-run", "print the request instead of sending it")
    .option("--idempotency-key <key>", "use this Idempotency-Key instead of one that is made");

/** The flags of a command that destroys something. */
export const destroys = (command: Command): Command => mutates(command).option("-y, --yes", "do not ask");
