import { ApiError } from "../../../src/contract/errors.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import {
  digitsOfUuid,
  type LinkKind,
  linkTokenOf,
  readLinkToken,
  type Sealer,
  uuidBytes,
  uuidOf,
} from "../../secrets/secrets.ts";
import { reports } from "./store.ts";

/**
 * Creates a new link to the sender's page, and invalidates earlier links. Throws `not_found` for a report of another
 * thread. (rule M8)
 */
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

/** The beginning of the path of every sender's page. */
export const statusPath = "/p/t";

/** Returns the address of the sender's page of a report. This address is a credential for that page only. (rule M8) */
export const statusUrlOf = (
  { sealer, settings }: Pick<Deps, "sealer" | "settings">,
  token: ReportToken,
): string => `${settings.baseUrl}${statusPath}/${reportTokenOf(sealer, token)}`;

/** The content of the token in a link to a sender's page. */
interface ReportToken {
  /** The id of the report. The first report has the thread's id; a repeated report has its message's id. */
  readonly reportId: string;
  /** The number of the link. A link is valid only if the report has the same number. */
  readonly counter: number;
  /** Whether the link was sent by mail. If so, its user can read the mail of the sender's address. */
  readonly mailed: boolean;
}

const kind: LinkKind = { purpose: "sender's page", headBytes: uuidBytes + 5 };

/** Returns a token with `reportId`, `counter`, `mailed` and a MAC. (rule M8) */
export const reportTokenOf = (
  sealer: Pick<Sealer, "mark">,
  { reportId, counter, mailed }: ReportToken,
): string =>
  linkTokenOf(
    sealer,
    kind,
    `${digitsOfUuid(reportId)}${counter.toString(16).padStart(8, "0")}${mailed ? "01" : "00"}`,
  );

/** Reads a token. Returns undefined if this deployment did not create it. */
export function readReportToken(sealer: Pick<Sealer, "isMark">, token: string): ReportToken | undefined {
  const head = readLinkToken(sealer, kind, token);
  return (
    head && {
      reportId: uuidOf(head.subarray(0, uuidBytes)),
      counter: head.readUInt32BE(uuidBytes),
      mailed: head.readUInt8(uuidBytes + 4) === 1,
    }
  );
}
