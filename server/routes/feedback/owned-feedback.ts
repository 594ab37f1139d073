import { ApiError } from "../../../src/contract/errors.ts";
import type { Reader } from "../../store/engine/database.ts";
import { feedbackThreads, type ThreadRow, type Viewer } from "../../store/feedback/feedback.ts";

/** The thread with its messages and proposals, where it is the viewer's; another's answers as if it did not exist. */
export async function ownedThread(reader: Reader, id: string, viewer: Viewer): Promise<ThreadRow> {
  const thread = await feedbackThreads.findThread(reader, id, viewer);
  if (!thread) throw new ApiError("not_found");
  return thread;
}

/** The app of a thread that is the viewer's. */
export async function appOfThread(reader: Reader, id: string, viewer: Viewer): Promise<string> {
  const found = await feedbackThreads.findApp(reader, id, viewer);
  if (!found) throw new ApiError("not_found");
  return found.appId;
}
