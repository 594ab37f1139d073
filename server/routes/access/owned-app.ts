import { ApiError } from "../../../src/contract/errors.ts";
import { type AppRow, apps } from "../../store/access/apps.ts";
import type { Reader } from "../../store/engine/database.ts";
import type { Viewer } from "../../store/feedback/feedback.ts";

/** Gives the app if it belongs to the viewer. Throws `not_found` otherwise. */
export async function ownedApp(reader: Reader, id: string, viewer: Viewer): Promise<AppRow> {
  const app = await apps.find(reader, id, viewer);
  if (!app) throw new ApiError("not_found");
  return app;
}
