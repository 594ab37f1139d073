import { isUtf8 } from "node:buffer";
import { normaliseMediaType } from "../../../src/contract/files.ts";
import { type ReceivedFile, receivedFile } from "../../../src/contract/received-file.ts";
import type { TemporaryFile } from "../../files/files.ts";
import { createBase64Decoder } from "./base64.ts";
import type { TextSink } from "./json-string.ts";
import type { Intake } from "./upload.ts";

/**
 * Decodes the text of one data URL into a temporary file of at most `limit` bytes. Text that is not a data URL becomes a
 * ReceivedFile with a fault. Text that is not known to be base64 goes to `remainder`, which may refuse it.
 */
export function createDataUrlFile(
  intake: Intake,
  limit: number,
  remainder: TextSink<void>,
): TextSink<Promise<ReceivedFile>> {
  let header = "";
  let url: OpenUrl | undefined;
  let fault: ReceivedFile["fault"] = null;

  const refuse = (why: ReceivedFile["fault"], unread: string, rest: Buffer) => {
    fault = why;
    remainder.write(Buffer.from(unread, "latin1"));
    remainder.write(rest);
  };
  const readBase64 = (open: OpenUrl, bytes: Buffer) => {
    if (!open.decoder.write(bytes)) refuse("not_base64", open.decoder.held(), bytes);
  };
  const readHeader = (bytes: Buffer) => {
    const read = header + bytes.toString("latin1", 0, longestHeader);
    const end = read.search(endOfHeader);
    const type = end === -1 ? undefined : typeOf(read.slice(0, end));
    if (type !== undefined) {
      url = openUrl(intake.open(limit), type);
      readBase64(url, bytes.subarray(end + base64Mark.length - header.length));
    } else if (end !== -1 || read.length >= longestHeader) refuse("not_a_data_url", header, bytes);
    else header = read;
  };

  return {
    write(bytes) {
      if (fault) remainder.write(bytes);
      else if (url) readBase64(url, bytes);
      else readHeader(bytes);
    },
    end() {
      if (!fault && !url) refuse("not_a_data_url", header, nothing);
      if (!fault && url && !url.decoder.end()) refuse("not_base64", url.decoder.held(), nothing);
      if (fault) remainder.end();
      return intake.add(received(url, fault));
    },
  };
}

const nothing = Buffer.alloc(0);
const notWritten = { path: "", size: 0, sha256: "", detectedType: null };
const longestHeader = 1_024;

type OpenUrl = ReturnType<typeof openUrl>;

async function received(url: OpenUrl | undefined, fault: ReceivedFile["fault"]): Promise<ReceivedFile> {
  const written = url ? await url.file.finish() : notWritten;
  return receivedFile({ ...written, declaredType: url?.type ?? null, name: null, fault });
}

function openUrl(file: TemporaryFile, type: string | null) {
  return { file, type, decoder: createBase64Decoder((decoded) => file.write(decoded)) };
}

const base64Mark = ";base64,";
// The first comma does not end the header: a recorder lists its codecs as `video/webm;codecs=vp8,opus`, with or
// without quotes.
const endOfHeader = /;base64,/i;

// The bytes decide the kind of a file, so the type may be missing, wide (`image/*`) or wrong. Encoders put codecs, a
// charset or a file name behind it.
const dataUrlHeader = /^data:([ -:<-~\x80-\xff]*)(;[ -~\x80-\xff]*)?$/i;

/** The declared type of a data URL, or null. Undefined if the text, one byte in each unit, is no data URL or no UTF-8. */
function typeOf(header: string): string | null | undefined {
  if (header.length > longestHeader || !isUtf8(Buffer.from(header, "latin1"))) return undefined;
  const declared = dataUrlHeader.exec(header)?.[1];
  return declared === undefined ? undefined : normaliseMediaType(declared);
}
