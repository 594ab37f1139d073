import type { Command } from "commander";

export interface TestKeyFlags {
  readonly withTestKeys?: boolean;
}

/** Adds the flag of commands whose answers contain test keys. */
export const withTestKeys = (command: Command): Command =>
  command.option(
    "--with-test-keys",
    "also show test keys: anyone with a test key can report test days for its slot",
  );

/**
 * Returns the value without its test key, which is a secret. If the flag asks for the key, returns the value unchanged.
 */
export function omitTestKey<T extends { readonly testKey?: string | null }>(
  given: T,
  { withTestKeys: shown }: TestKeyFlags,
): Omit<T, "testKey"> {
  if (shown) return given;
  const { testKey: _, ...rest } = given;
  return rest;
}
