import { InvalidArgumentError } from "commander";

/** The texts on both sides of the first `=`. Throws without `=`, or with nothing before it. */
export function splitPair(given: string): [string, string] {
  const at = given.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be of the form name=value.");
  return [given.slice(0, at).trim(), given.slice(at + 1)];
}
