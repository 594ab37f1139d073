import { join } from "node:path";
import type { Files } from "../files/files.ts";
import { createLocalFiles } from "../files/local-files.ts";
import { createS3Files } from "../files/s3-files.ts";
import type { DataLocation } from "../settings/settings.ts";

export const filesFolder = ({ data }: Pick<DataLocation, "data">): string => join(data, "files");

/** The files of a deployment: in S3 if the settings name a store, otherwise in the data folder. */
export function openFiles(location: DataLocation): Files {
  const folder = filesFolder(location);
  return location.s3 ? createS3Files(join(folder, "temporary"), location.s3) : createLocalFiles(folder);
}
