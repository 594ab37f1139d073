import { type Argon2, usualCost } from "./argon2.ts";

/** The package `@node-rs/argon2`, or undefined if its native part is not installed. It is the fastest. */
export async function nativeArgon2(): Promise<Argon2 | undefined> {
  try {
    const { hash, verify } = await import("@node-rs/argon2");
    const { memory, passes, lanes } = usualCost;
    const options = { memoryCost: memory, timeCost: passes, parallelism: lanes };
    return { hash: (password) => hash(password, options), verify };
  } catch {
    return undefined;
  }
}
