import { ApiError } from "../../../src/contract/errors.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";

import { reports } from "./store.ts";
import { statusUrlOf } from "./links.ts";

/** Returns a new link to the sender's page of a report. Throws `not_found` for a report of another thread. (rule M8) */
export async function renewedLink(
  deps: Pick<Deps, "sealer" | "settings">,
  tx: Transaction,
  { feedbackId, reportId }: { readonly feedbackId: string; readonly reportId: string },
): Promise<string> {
  const report = await reports.find(tx, reportId.toLowerCase());
  if (report?.feedbackId !== feedbackId.toLowerCase()) throw new ApiError("not_found");
  await reports.renewLink(tx, report);
  return statusUrlOf(deps, { reportId: report.id, counter: report.linkCounter + 1, mailed: false });
}
