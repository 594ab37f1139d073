import { runOnDatabase } from "../core/administer.ts";
import type { Invocation } from "../core/context.ts";
import { type Finding, failure, faultOf, ok, remark } from "./finding.ts";

const why = "Without a proven backup, a lost disk loses everything.";

/** Whether the nightly backups are proven, if INNKEEP_BACKUP_DRILL is set. */
export async function checkBackups(invocation: Invocation): Promise<Finding[]> {
  const { INNKEEP_BACKUP_DRILL: when } = invocation.context.env;
  if (!when || when === "off") return [];
  const next = "Read the log of the server, mend the cause, and try `innkeep admin backup FILE --prove`.";
  try {
    const { provenAt, warning } = await runOnDatabase(invocation, {}, { command: "backup drill" });
    if (typeof warning === "string") return [failure("backups", { what: warning, why, next })];
    if (typeof provenAt !== "string") return [remark("backups", "No nightly backup was made yet.")];
    return [ok("backups", `The nightly backup of ${provenAt} was proven.`)];
  } catch (error) {
    const settings = "Set INNKEEP_DATA or INNKEEP_DATABASE_URL as for the server.";
    return [failure("backups", faultOf(error, { why, next: settings }))];
  }
}
