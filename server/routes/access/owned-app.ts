import { ApiError } from "../../../src/contract/errors.ts";
import { type AppRow, apps } from "../../store/access/apps.ts";
import type { Reader } from "../../store/engine/database.ts";
import type { Viewer } from "../../store/feedback/feedback.ts";

/** The app, where it is the viewer's; another's answers as if it did not exist. */
export async function ownedApp(reader: Reader, id: string, viewer: Viewer): Promise<AppRow> {
  const app = await apps.find(reader, id, viewer);
  if (!app) throw new ApiError("not_found");
  return app;
}
