import type { ReceivedFile } from "../../../src/contract/received-file.ts";
import { cleanFileName, endingOf, nameFor } from "../../domain/file-name.ts";
import { randomName } from "../../secrets/secrets.ts";
import type { NewUpload } from "../../store/requests/uploads.ts";

/** What is stored of a received file, under an unguessable name. */
export type ReceivedUpload = Pick<NewUpload, "name" | "sha256" | "mediaType" | "size" | "fileName">;

/** The upload that a received file of a known kind becomes; `givenName` is the name that its sender gave beside it. */
export function uploadOf(
  { sha256, size, name: ownName }: ReceivedFile,
  mediaType: string,
  givenName?: string,
): ReceivedUpload {
  const name = randomName() + endingOf(mediaType);
  const fileName = nameFor(mediaType, cleanFileName(givenName ?? ownName, name));
  return { name, sha256, size, mediaType, fileName };
}
