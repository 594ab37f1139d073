import { createReadStream } from "node:fs";
import type { appData as contract, ImportedApp } from "../../src/contract/app-data.ts";
import { ApiError, badRequest } from "../../src/contract/errors.ts";
import { isReceivedFile } from "../../src/contract/files.ts";
import { ownedApp } from "../access/apps/store.ts";
import { createAuditWriter } from "../access/audit/record.ts";
import type { Deps } from "../deps.ts";
import { endDueSnoozes } from "../feedback/threads/store/fields.ts";
import type { Download } from "../http/answers.ts";
import type { Handlers } from "../http/handler.ts";
import { tarOf, type WrittenExport, writeExport } from "./export.ts";
import { importApp } from "./import.ts";

type TransferDeps = Pick<
  Deps,
  "clock" | "database" | "files" | "keptFiles" | "log" | "newId" | "settings" | "stopping" | "time"
>;

/** The maximum number of exports that run at the same time. The same limit applies to imports. (rule X2) */
const mostAtOnce = 2;

/** Creates a function that runs tasks. It throws `busy` if `mostAtOnce` tasks are already running. */
function limited(retryAfterSeconds: number) {
  let running = 0;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= mostAtOnce) throw new ApiError("busy", { retryAfterSeconds });
    running++;
    try {
      return await work();
    } finally {
      running--;
    }
  };
}

/** Creates the handlers of the endpoints that export an app as a file and import such a file. (rules X1, X5) */
export function appData(deps: TransferDeps): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  const writeOne = limited(10);
  const importOne = limited(30);
  return {
    async export({ caller, address, params: { appId }, query, signal }) {
      const app = await ownedApp(deps.database, appId, caller);
      const withFiles = query.files === "1";
      // The audit entry is written first, so that it exists even if the download fails after it has begun.
      await deps.database.write((tx) =>
        record(tx, { caller, address }, { action: "app.export", appId, target: appId }),
      );
      await endDueSnoozes(deps);
      const written = await writeOne(() => writeExport(deps, { appId: app.id, withFiles, signal: signal() }));
      return downloadOf(deps, written, { name: app.name, withFiles });
    },

    async import({ caller, address, body, signal, save }) {
      const [file] = body.file ?? [];
      if (!isReceivedFile(file)) throw badRequest("file", "must be a file from an export");
      const wanted = {
        path: file.path,
        ownerId: caller.userId,
        name: body.name || undefined,
        signal: signal(),
      };
      return importOne(() =>
        importApp(deps, wanted, ({ appId, ...imported }, finish) =>
          save(async (tx) => {
            await finish(tx);
            await record(tx, { caller, address }, { action: "app.import", appId, target: appId });
            const { name } = await ownedApp(tx, appId, { ...caller, needs: "owner" });
            return { appId, name, ...imported } satisfies ImportedApp;
          }),
        ),
      );
    },
  };
}

/** Yields the bytes of a file. Opens the file only when the first bytes are read. */
async function* fileOf(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path);
}

function downloadOf(
  { files, clock, log }: TransferDeps,
  written: WrittenExport,
  { name, withFiles }: { readonly name: string; readonly withFiles: boolean },
): Download {
  const day = clock.now().toISOString().slice(0, 10);
  const title = name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "app";
  return {
    isDownload: true,
    fileName: `${title}-${day}.${withFiles ? "tar" : "ndjson"}`,
    mediaType: withFiles ? "application/x-tar" : "application/x-ndjson",
    bytes: withFiles ? undefined : written.lines.size,
    chunks: withFiles ? tarOf(written, files) : fileOf(written.lines.path),
    end: () =>
      files
        .dropTemporary([written.lines.path, written.list.path])
        .catch((error) => log.warn({ err: error }, "an export was not deleted")),
  };
}
