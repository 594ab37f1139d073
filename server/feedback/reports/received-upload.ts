import type { ReceivedFile } from "../../../src/contract/received-file.ts";
import { cleanFileName, endingOf, nameFor } from "../../files/file-names.ts";
import type { NewUpload } from "../../files/uploads-store.ts";
import { randomName } from "../../secrets/secrets.ts";

/** The stored values of a received file, with an unguessable name. */
export type ReceivedUpload = Pick<NewUpload, "name" | "sha256" | "mediaType" | "size" | "fileName">;

/** The upload for a received file of a known type. `givenName` is the name that its sender gave in a field. */
export function uploadOf(
  { sha256, size, name: ownName }: ReceivedFile,
  mediaType: string,
  givenName?: string,
): ReceivedUpload {
  const name = randomName() + endingOf(mediaType);
  const fileName = nameFor(mediaType, cleanFileName(givenName ?? ownName, name));
  return { name, sha256, size, mediaType, fileName };
}
