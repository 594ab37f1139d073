import { ApiError } from "../../../src/contract/errors.ts";
import type { Reader } from "../../database/database.ts";
import type { Seen, Viewer } from "../members/visibility.ts";
import { type AppRow, apps } from "./store.ts";

/**
 * Returns the app. Throws `not_found` if the viewer is not a member, and `forbidden` if the viewer's role does not
 * suffice.
 */
export async function ownedApp(reader: Reader, id: string, viewer: Viewer): Promise<Seen<AppRow>> {
  const app = await apps.find(reader, id, viewer);
  if (!app) throw new ApiError("not_found");
  return app;
}
