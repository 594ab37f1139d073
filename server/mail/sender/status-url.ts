import type { Deps } from "../../deps.ts";
import { type ReportToken, reportTokenOf } from "./links.ts";

/** The path of the sender's page, below the address of the server. */
export const statusPath = "/p/t";

/** The address of the page on which the sender of a report reads replies. It is a credential for exactly that. (rule M8) */
export const statusUrlOf = (
  { sealer, settings }: Pick<Deps, "sealer" | "settings">,
  token: ReportToken,
): string => `${settings.baseUrl}${statusPath}/${reportTokenOf(sealer, token)}`;
