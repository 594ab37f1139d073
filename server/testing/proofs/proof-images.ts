import type { ErrorDetails } from "../../../src/contract/errors.ts";
import { fileFault } from "../../../src/contract/fields.ts";
import type { Issue } from "../../../src/contract/issues.ts";
import { proofImages } from "../../../src/contract/limits.ts";
import { isReceivedFile, type ReceivedFile } from "../../../src/contract/received-file.ts";
import type { NewProof } from "../../../src/contract/tester.ts";
import { type ReceivedUpload, uploadOf } from "../../feedback/reports/received-upload.ts";

/** A received image of a proof, and the upload that it becomes. */
export interface ProofImage {
  readonly received: ReceivedFile;
  readonly upload: ReceivedUpload;
}

/** The fault of each image of a proof, or undefined for a good one. */
export const imageFaults = ({ images = [] }: Pick<NewProof, "images">): (string | undefined)[] =>
  images.map((image) => fileFault(image, proofImages));

/** The details of an error about images: which images are wrong, and why. */
export function imageDetails(faults: readonly (string | undefined)[]): ErrorDetails {
  if (faults.length === 0) return { issues: [{ path: "images", message: "must hold at least one image" }] };
  const issues = faults.flatMap((message, at): Issue[] =>
    message ? [{ path: `images.${at}`, message }] : [],
  );
  const named = issues.map(({ path, message }) => `${path} ${message}`);
  return { issues, message: `An image cannot be used: ${named.join("; ")}.` };
}

/** The faultless images of a proof, in order. */
export const proofImagesOf = ({ images = [] }: Pick<NewProof, "images">): ProofImage[] =>
  images.flatMap((image) =>
    isReceivedFile(image) && image.detectedType !== null
      ? [{ received: image, upload: uploadOf(image, image.detectedType) }]
      : [],
  );
