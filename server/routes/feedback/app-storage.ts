import type { Deps } from "../../deps.ts";
import { uploads } from "../../store/requests/uploads.ts";

/** How much of its quota each app has used up. */
export interface AppStorage {
  /** Does `work`, which stores so many bytes more of an app where the quota has room for them, and is told whether it has. */
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
  /** Of work under way. */
  pending: number;
  /** Stored since a sum was begun that may or may not have seen it. */
  meanwhile: number;
  at: number;
  summing: Promise<void> | undefined;
}

/**
 * Remembers the sums for a minute, so that not every report adds up all uploads; near the quota each is added up anew.
 * Several servers may together pass the quota by what they take within that minute.
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
