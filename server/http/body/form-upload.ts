import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { normaliseMediaType } from "../../../src/contract/files.ts";
import { receivedFile } from "../../../src/contract/received-file.ts";
import type { Files, TemporaryFile } from "../../files/files.ts";
import { createFields, type Fields, fileFieldOf, type MultipartForm } from "./form-fields.ts";
import { consume, type Intake, malformedForm, receive, type Upload, UploadFailure } from "./upload.ts";

/**
 * Reads a multipart/form-data body and writes its files to disk while it arrives. Each file field becomes a list of
 * ReceivedFile, each other field a string. Files of unknown fields and empty file inputs are ignored. Throws
 * UploadFailure `malformed_multipart`, `too_large` or `aborted`, and FilesUnavailable; then no file is left.
 */
export function readMultipartUpload(
  { body, headers }: { readonly body: Readable; readonly headers: IncomingHttpHeaders },
  files: Files,
  form: MultipartForm,
): Promise<Upload> {
  return receive(files, async (intake) => {
    const parser = createFormParser(headers, intake, form);
    await consume(body, { bytes: form.body, arrival: form.arrival }, parser.write);
    return parser.end();
  });
}

interface FormParser {
  /** Takes the next bytes of the body. Throws if a fault is known already. */
  write(chunk: Buffer): void;
  /** Gives the form when all its files are written. */
  end(): Promise<unknown>;
}

/** Parses multipart/form-data. Throws and rejects with UploadFailure, or with the error of writing a file. */
function createFormParser(headers: IncomingHttpHeaders, intake: Intake, form: MultipartForm): FormParser {
  const busboy = openBusboy(headers, form);
  const fields = createFields(form);
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
  };
  const attempt = (step: () => void) => {
    if (failure) return;
    try {
      step();
    } catch (error) {
      fail(error);
    }
  };

  busboy.on("field", (name, value, _, cut) => attempt(() => fields.addText(name, value, cut)));
  busboy.on("file", (name, stream, fileName, _, type) =>
    takeFile(stream, { name, fileName, type }, { attempt, fields, intake, form }),
  );
  busboy.on("partsLimit", () => fail(new UploadFailure("too_large", "The form has too many parts.")));
  const finished = new Promise<void>((resolve) => {
    busboy.on("finish", resolve);
    busboy.on("error", (cause) => {
      fail(malformedForm("is cut off or malformed", cause));
      resolve();
    });
  });

  return {
    write(chunk) {
      busboy.write(chunk);
      if (failure) throw failure;
    },
    async end() {
      busboy.end();
      await finished;
      if (failure) throw failure;
      return fields.value();
    },
  };
}

const mostParts = 256;
const headerBytes = 16_384;

function openBusboy(headers: IncomingHttpHeaders, form: MultipartForm): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, "content-type": headers["content-type"] ?? "" },
      preservePath: true,
      isPartAFile: (field, _, fileName) =>
        fileName !== undefined || (field !== undefined && fileFieldOf(field, form) !== undefined),
      limits: { parts: mostParts, fieldSize: form.text, headerSize: headerBytes },
    });
  } catch (cause) {
    throw malformedForm("has no boundary in its content type", cause);
  }
}

interface Part {
  readonly name: string | undefined;
  readonly fileName: string | undefined;
  readonly type: string;
}

interface Taking {
  readonly attempt: (step: () => void) => void;
  readonly fields: Fields;
  readonly intake: Intake;
  readonly form: MultipartForm;
}

function takeFile(stream: BusboyFileStream, part: Part, { attempt, fields, intake, form }: Taking): void {
  // The parser itself reports a cut body.
  stream.on("error", () => {});
  stream.resume();
  attempt(() => {
    const field = fields.fileField(part.name);
    const rule = field === undefined ? undefined : form.files[field];
    if (field === undefined || !rule) return;
    const file = intake.open(rule.bytes);
    let isEmpty = true;
    stream.on("data", (bytes: Buffer) =>
      attempt(() => {
        isEmpty = false;
        file.write(bytes);
      }),
    );
    stream.on("end", () => {
      // An empty file input of an HTML form has neither bytes nor a name.
      if (isEmpty && !part.fileName) return file.drop();
      fields.addFile(field, part.fileName, intake.add(receivedFrom(part, file, rule.named === true)));
    });
  });
}

async function receivedFrom({ fileName, type }: Part, file: TemporaryFile, isNamed: boolean) {
  const written = await file.finish();
  const name = isNamed ? null : (fileName ?? null);
  return receivedFile({ ...written, declaredType: normaliseMediaType(type), name, fault: null });
}
