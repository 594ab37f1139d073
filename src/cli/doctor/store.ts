import { runOnDatabase } from "../core/administer.ts";
import type { Invocation } from "../core/context.ts";
import { type Finding, failure, faultOf, ok } from "./finding.ts";

/** Whether the S3 store of INNKEEP_S3_URL takes our requests, if it is set. */
export async function checkStore(invocation: Invocation): Promise<Finding[]> {
  if (!invocation.context.env.INNKEEP_S3_URL) return [];
  try {
    const { place } = await runOnDatabase(invocation, {}, { command: "files check" });
    return [ok("files", `The S3 store can be read at ${place}.`)];
  } catch (error) {
    const why = "A server with these settings does not start, or refuses files.";
    const next = "Correct INNKEEP_S3_URL, then run `innkeep doctor` again.";
    return [failure("files", faultOf(error, { why, next }))];
  }
}
