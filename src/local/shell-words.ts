import { constants } from "node:os";

/** A word for the shell of Windows. */
export const quoted = (word: string): string =>
  /^[\w./:=@\\-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;

/** The exit code of a command that a signal has ended, as shells have it. */
export const codeOf = (signal: NodeJS.Signals | undefined): number =>
  128 + (signal === undefined ? 0 : constants.signals[signal]);
