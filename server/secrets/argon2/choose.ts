import type { Argon2 } from "./argon2.ts";
import { nativeArgon2 } from "./native.ts";
import { nodeArgon2 } from "./node.ts";
import { threadArgon2 } from "./thread.ts";

declare const BUILT_FOLDER: string;

export interface Chosen {
  readonly argon2: Argon2;
  /** What an operator may want to know, if this is not the fastest implementation. */
  readonly warning?: string;
}

let chosen: Promise<Chosen> | undefined;

/** The fastest implementation of Argon2 that this installation has. It is looked for once. */
export function chosenArgon2(): Promise<Chosen> {
  chosen ??= choose();
  return chosen;
}

async function choose(): Promise<Chosen> {
  const native = await nativeArgon2();
  if (native) return { argon2: native };
  const ofNode = await nodeArgon2();
  if (ofNode) return { argon2: ofNode, warning: warningOf("Node itself") };
  const inThread = threadArgon2(`${BUILT_FOLDER}/argon2-thread.cjs`);
  return { argon2: inThread, warning: warningOf("WebAssembly in threads, two at a time") };
}

const warningOf = (by: string): string =>
  `Passwords are hashed by ${by}, which is slower, because the part of @node-rs/argon2 for ` +
  `${process.platform}-${process.arch} is not installed: install innkeep without --omit=optional.`;
