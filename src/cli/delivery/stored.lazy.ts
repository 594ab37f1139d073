import { join } from "node:path";
import * as z from "zod/mini";
import type { FeedbackFiles, SentFile } from "../../client/send.ts";
import type { FileInPlace, SpooledItem } from "./spool.ts";

/** The checked content of a report. */
export interface ReportContent {
  /** The fields of the request, except the files. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: FeedbackFiles;
}

/** A report that no server has confirmed yet. */
export type Report = SpooledItem & ReportContent;

/** The checked content of a proof. */
export interface ProofContent {
  readonly fields: {
    readonly slotId: string;
    readonly capturedAt: string;
    readonly queuedAt: string;
    readonly note?: string;
  };
  readonly images: readonly SentFile[];
  /** The start of the slot's id. Empty if the tester typed none. Undefined if the whole id is known. */
  readonly wantedSlot?: string;
}

/** A proof that no server has confirmed yet. */
export type Proof = SpooledItem & ProofContent;

const StoredFile = z.object({ name: z.string(), mediaType: z.string(), bytes: z.int() });

/** What the spool stores for every item. A file is named after its place in the request, such as `images.0`. */
const stored = {
  id: z.string(),
  createdAt: z.string(),
  baseUrl: z.string(),
  idempotencyKey: z.string(),
  lastTry: z.nullable(
    z.object({ at: z.string(), outcome: z.enum(["unsent", "refused", "unknown"]), why: z.string() }),
  ),
};

const StoredReport = z.object({
  ...stored,
  fields: z.record(z.string(), z.unknown()),
  files: z.object({
    images: z.array(StoredFile),
    videos: z.array(StoredFile),
    attachments: z.array(StoredFile),
  }),
});

const StoredProof = z.object({
  ...stored,
  fields: z.object({
    slotId: z.string(),
    capturedAt: z.string(),
    queuedAt: z.string(),
    note: z.optional(z.string()),
  }),
  images: z.array(StoredFile),
  wantedSlot: z.optional(z.string()),
});

/** Adds to each file its place in the request, such as `images.0`. */
export const filesInPlace = (files: Readonly<Record<string, readonly SentFile[]>>): readonly FileInPlace[] =>
  Object.entries(files).flatMap(([field, list]) =>
    list.map((file, at) => ({ place: placeOf(field, at), file })),
  );

const placeOf = (field: string, at: number): string => `${field}.${at}`;

export const storedReportText = (report: Report): string => JSON.stringify(StoredReport.parse(report));

/**
 * Parses the stored text of a report. Returns undefined for an invalid text. `folder` contains the files of the
 * report.
 */
export function storedReport(folder: string, text: string): Report | undefined {
  const report = parsed(StoredReport, text);
  if (!report) return undefined;
  const { images, videos, attachments } = report.files;
  const files = {
    images: copiesIn(folder, "images", images),
    videos: copiesIn(folder, "videos", videos),
    attachments: copiesIn(folder, "attachments", attachments),
  };
  return { ...report, files };
}

export const storedProofText = (proof: Proof): string => JSON.stringify(StoredProof.parse(proof));

/**
 * Parses the stored text of a proof. Returns undefined for an invalid text. `folder` contains the images of the
 * proof.
 */
export function storedProof(folder: string, text: string): Proof | undefined {
  const proof = parsed(StoredProof, text);
  return proof && { ...proof, images: copiesIn(folder, "images", proof.images) };
}

function parsed<Schema extends z.ZodMiniObject>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Adds to each file of an item the path of its copy in the folder of the item. */
const copiesIn = (folder: string, field: string, files: readonly Omit<SentFile, "path">[]): SentFile[] =>
  files.map((file, at) => ({ ...file, path: join(folder, placeOf(field, at)) }));
