import { FilesUnavailable } from "../files/files.ts";
import { faultOfSettings } from "../files/s3-refusal.ts";
import { SettingError } from "../settings/setting-error.ts";

/** The error for the operator if an S3 store does not answer or refuses. Gives other errors back. */
export function storeFault(error: unknown): unknown {
  const fault = faultOfSettings(error);
  if (fault !== undefined) return new SettingError(fault, { cause: error });
  if (!(error instanceof FilesUnavailable)) return error;
  const why = error.cause instanceof Error ? error.cause.message : "";
  return new Error(`The files cannot be read or written right now (${why}). Try again later.`, {
    cause: error,
  });
}
