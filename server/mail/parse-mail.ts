import { Worker } from "node:worker_threads";

/** The folder of the built program, in which the library is a file of its own. */
declare const BUILT_FOLDER: string;

/** What a mail holds, as far as we use it. */
export interface ParsedMail {
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly from: string;
  readonly messageId: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly attachments: readonly ParsedFile[];
}

export interface ParsedFile {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** Strangers write mails, and the library needs minutes for some of them. For ordinary mails it needs much less. */
const longestMilliseconds = 30_000;
const megabytes = 512;
const bounds = { maxNestingDepth: 20, maxHeadersSize: 262_144, attachmentEncoding: "arraybuffer" };
const most = { text: 1_000_000, attachments: 100 };

const program = `
const { parentPort, workerData } = require("node:worker_threads");
const { library, source, bounds, most } = workerData;
const found = require(library);
(found.default ?? found).parse(Buffer.from(source), bounds).then((mail) =>
  parentPort.postMessage({
    headers: mail.headers.map(({ key, value }) => ({ key, value })),
    from: mail.from?.address ?? "",
    messageId: mail.messageId ?? "",
    text: mail.text?.slice(0, most.text),
    html: mail.html?.slice(0, most.text),
    attachments: mail.attachments.slice(0, most.attachments).map(({ filename, mimeType, content }) => ({
      name: filename ?? "",
      mimeType,
      bytes: typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content),
    })),
  }),
);
`;

/**
 * Takes a mail apart in a thread of its own, so that no mail keeps the server from its requests. Undefined if it cannot be read,
 * or not in this time.
 */
export async function parseMail(
  source: Buffer,
  milliseconds = longestMilliseconds,
): Promise<ParsedMail | undefined> {
  const library = typeof BUILT_FOLDER === "string" ? `${BUILT_FOLDER}/postal-mime.cjs` : "postal-mime";
  const worker = new Worker(program, {
    ...{ eval: true, env: {}, execArgv: [] },
    workerData: { library, source, bounds, most },
    resourceLimits: { maxOldGenerationSizeMb: megabytes },
  });
  const timer = setTimeout(() => void worker.terminate(), milliseconds);
  try {
    return await new Promise<ParsedMail | undefined>((resolve) => {
      worker.once("message", resolve);
      worker.once("error", () => resolve(undefined));
      worker.once("exit", () => resolve(undefined));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
