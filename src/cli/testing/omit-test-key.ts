import type { Command } from "commander";

export interface TestKeyFlags {
  readonly withTestKeys?: boolean;
}

/** The flag of commands whose answers hold test keys. */
export const withTestKeys = (command: Command): Command =>
  command.option("--with-test-keys", "show test keys, too: anyone with a key counts days for its slot");

/** The value without its test key, which is a secret, unless the flag asks for it. */
export function omitTestKey<T extends { readonly testKey?: string | null }>(
  given: T,
  { withTestKeys: shown }: TestKeyFlags,
): Omit<T, "testKey"> {
  if (shown) return given;
  const { testKey: _, ...rest } = given;
  return rest;
}
