import type { ReceivedFile } from "../../../src/contract/files.ts";
import type { Deps } from "../../deps.ts";
import { cleanFileName, endingOf, nameFor } from "../../files/file-names.ts";
import { type NewUpload, uploads } from "../../files/store.ts";
import { randomName } from "../../secrets/secrets.ts";

/** A cache of the number of stored bytes of each app. This number is compared with the app's storage quota. */
interface AppStorage {
  /** Calls `work`. If `hasRoom` is true, `bytes` more bytes fit into the quota, and `work` must store them. */
  withRoom<Result>(
    appId: string,
    bytes: number,
    work: (hasRoom: boolean) => Promise<Result>,
  ): Promise<Result>;
}

const mostApps = 10_000;

const currentForMs = 60_000;

interface Used {
  stored: number;
  /** The number of bytes that running requests are about to store. */
  pending: number;
  /**
   * The number of bytes that were stored while a query computed `stored`. The query may have missed these
   * bytes.
   */
  meanwhile: number;
  at: number;
  summing: Promise<void> | undefined;
}

/**
 * Caches the stored bytes of each app for one minute. With several servers, an app can exceed its quota.
 * (rule F12)
 */
export function createAppStorage({
  database,
  clock,
  settings,
}: Pick<Deps, "database" | "clock" | "settings">): AppStorage {
  const apps = new Map<string, Used>();
  const usedBy = (appId: string): Used => {
    const known = apps.get(appId);
    if (known) return known;
    if (apps.size >= mostApps) apps.clear();
    const app = { stored: 0, pending: 0, meanwhile: 0, at: Number.NEGATIVE_INFINITY, summing: undefined };
    apps.set(appId, app);
    return app;
  };
  const sum = async (appId: string, app: Used) => {
    app.meanwhile = 0;
    const stored = await uploads.bytesOf(database, appId);
    app.stored = stored + app.meanwhile;
    app.at = clock.now().getTime();
  };
  const sumOnce = (appId: string, app: Used) => {
    app.summing ??= sum(appId, app).finally(() => {
      app.summing = undefined;
    });
    return app.summing;
  };
  const fits = (app: Used, bytes: number) => app.stored + app.pending + bytes <= settings.storedBytesPerApp;
  const isCurrent = ({ at }: Used) => Math.abs(clock.now().getTime() - at) < currentForMs;

  return {
    async withRoom(appId, bytes, work) {
      if (bytes === 0) return work(true);
      const app = usedBy(appId);
      if (!isCurrent(app) || !fits(app, bytes)) await sumOnce(appId, app);
      if (!fits(app, bytes)) return work(false);
      app.pending += bytes;
      try {
        const result = await work(true);
        app.stored += bytes;
        app.meanwhile += bytes;
        return result;
      } finally {
        app.pending -= bytes;
      }
    },
  };
}

/** The values that are stored for a received file. `name` is random, so that nobody can guess its address. */
export type ReceivedUpload = Pick<NewUpload, "name" | "sha256" | "mediaType" | "size" | "fileName">;

/** Returns the values to store for a received file. `givenName` replaces the file's own name. */
export function uploadOf(
  { sha256, size, name: ownName }: ReceivedFile,
  mediaType: string,
  givenName?: string,
): ReceivedUpload {
  const name = randomName() + endingOf(mediaType);
  const fileName = nameFor(mediaType, cleanFileName(givenName ?? ownName, name));
  return { name, sha256, size, mediaType, fileName };
}
