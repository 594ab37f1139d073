import { ApiError } from "../../../src/contract/errors.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Reader } from "../../database/database.ts";
import { feedbackThreads } from "./store.ts";

/** Returns the app of a thread if the viewer may read it. Throws `not_found` otherwise. */
export async function appOfThread(reader: Reader, id: string, viewer: Viewer): Promise<string> {
  const found = await feedbackThreads.findApp(reader, id, viewer);
  if (!found) throw new ApiError("not_found");
  return found.appId;
}
