import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { optionalText, uuid } from "./fields.ts";
import { isReceivedFile, type ReceivedFile } from "./files.ts";
import { importedFile, limits } from "./limits.ts";

/** The number of records that an import stored, for each value of the field `type`. */
const Counts = z.record(z.string(), z.int());

export const ImportedApp = z.object({
  appId: uuid,
  name: z.string(),
  records: Counts,
  files: z.int(),
  /** How many uploads were not imported, because the file does not contain their bytes. */
  filesLeftOut: z.int(),
});
export type ImportedApp = z.output<typeof ImportedApp>;

/** A file that an export created: lines of JSON or a tar archive. The import detects the format. */
const ExportedFile = z.custom<string | ReceivedFile>().check(
  z.superRefine((value, context) => {
    if (!isReceivedFile(value)) return;
    if (value.size > importedFile.bytes)
      context.addIssue({ code: "custom", message: `must be at most ${importedFile.bytes} bytes` });
  }),
  z.meta({
    contentMediaType: "application/octet-stream",
    description: `a file from an export; at most ${importedFile.bytes} bytes`,
  }),
);

export const appData = {
  export: endpoint({
    method: "GET",
    path: "/api/v1/console/apps/:appId/export",
    summary: "Export all data of an app as lines of JSON, or as a tar archive that also contains the files",
    auth: "console",
    role: "owner",
    scope: "apps:export",
    params: appParams,
    query: z.object({
      files: z.optional(
        z
          .enum(["0", "1"], "must be 0 or 1")
          .check(z.meta({ description: "`1` exports a tar archive that also contains the files." })),
      ),
    }),
    success: { status: 200, download: ["application/x-ndjson", "application/x-tar"] },
    errors: ["not_found"],
    rateLimit: "exports",
  }),
  import: endpoint({
    method: "POST",
    path: "/api/v1/console/import",
    summary: "Import an exported file as a new app; you become its only owner",
    auth: "session",
    role: "account",
    body: z.object({
      /** A list with one file, which an export created. */
      file: z.optional(z.array(ExportedFile).check(z.maxLength(1, "must be one file"))),
      name: optionalText(limits.appName),
    }),
    bodyKind: "form",
    upload: { files: { file: { bytes: importedFile.bytes } }, bodyBytes: importedFile.bytes + limits.json },
    success: { status: 201, body: ImportedApp },
    errors: [],
    attempts: [{ limit: "imports", by: ["account"] }],
    example: { request: { name: "Larder, second" } },
  }),
} as const;
