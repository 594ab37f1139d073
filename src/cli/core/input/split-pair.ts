import { InvalidArgumentError } from "commander";

/** What stands on both sides of the first `=`. Throws where there is none, or nothing before it. */
export function splitPair(given: string): [string, string] {
  const at = given.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be of the form name=value.");
  return [given.slice(0, at).trim(), given.slice(at + 1)];
}
