import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readIfThere, writePrivately } from "../../credentials/private-file.ts";

/** What is written down of one proposal while a worker has it. */
export interface Left {
  readonly runId: string;
  /** The name with which it was claimed. */
  readonly worker: string;
  readonly claimId?: string;
  /** The command that was started for it. */
  readonly command?: { readonly processId: number; readonly began: string };
  /** How the command ended. The server does not know it yet. */
  readonly ended?: { readonly status: "succeeded" | "failed"; readonly summary: string };
}

/** The proposals that the last process with this name did not finish. A file that nobody can read is left out. */
export const readLeft = (folder: string): readonly Left[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith("run-") && name.endsWith(".json"))
    .flatMap((name) => {
      const left = parsed(readIfThere(join(folder, name)) ?? "");
      return isLeft(left) ? left : [];
    });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether it is what `writeLeft` writes. Each file is written in one step, so the rest is right if these are. */
const isLeft = (value: unknown): value is Left =>
  typeof value === "object" &&
  value !== null &&
  "runId" in value &&
  typeof value.runId === "string" &&
  "worker" in value &&
  typeof value.worker === "string";

export const writeLeft = (folder: string, left: Left, newId: () => string): void =>
  writePrivately(fileOf(folder, left.runId), JSON.stringify(left), newId);

export const forgetLeft = (folder: string, runId: string): void =>
  rmSync(fileOf(folder, runId), { force: true });

export const fileOf = (folder: string, runId: string): string => join(folder, `run-${runId}.json`);
