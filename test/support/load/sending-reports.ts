import { createHash } from "node:crypto";
import { dataUrl, png } from "../files/sample-files.ts";
import { faultsOf } from "../service/refusals.ts";
import type { Answer } from "../service/request.ts";

export interface AcceptedReport {
  readonly message: string;
  readonly id: string;
  /** The SHA-256 of its picture. */
  readonly sha256: string;
}

export interface SendingReports {
  readonly accepted: readonly AcceptedReport[];
  /** Answers that are neither an acceptance nor a refusal after which an app may try again. */
  readonly faults: readonly string[];
  /** The number of answers that asked the app to send the report again, and of requests without an answer. */
  refused(): number;
  end(): Promise<void>;
}

export interface ReportLoad {
  /** Sends a report. Undefined if there was no answer. The number is the same each time that a report is sent. */
  readonly post: (body: unknown, number: number) => Promise<Answer | undefined>;
  readonly senders?: number;
}

const repeatable = new Set([409, 503]);

/** Sends reports with pictures all the time. A report that was not accepted is sent again, as apps do. */
export function startSending({ post, senders = 4 }: ReportLoad): SendingReports {
  const accepted: AcceptedReport[] = [];
  const faults: string[] = [];
  let refused = 0;
  let sent = 0;
  let isOver = false;
  const sendOne = async (number: number) => {
    const picture = pictureOf(number);
    const message = `Report ${number}.`;
    const body = { type: "bug", message, images: [dataUrl(picture)] };
    while (!isOver) {
      const answer = await post(body, number);
      if (answer?.status === 201)
        return accepted.push({ message, id: answer.field("id"), sha256: sha256Of(picture.bytes) });
      refused += 1;
      if (answer && !isRefusal(answer)) faults.push(`${answer.status} ${answer.text}`);
    }
  };
  const sendMany = async () => {
    while (!isOver) {
      sent += 1;
      await sendOne(sent);
    }
  };
  const all = Promise.all(Array.from({ length: senders }, sendMany));
  // The test sees the failure when it waits for the end.
  all.catch(() => {});
  return {
    accepted,
    faults,
    refused: () => refused,
    async end() {
      isOver = true;
      await all;
    },
  };
}

const isRefusal = (answer: Answer): boolean => repeatable.has(answer.status) && faultsOf(answer).length === 0;

/** A different picture for each number. The server keeps its bytes as they are. */
const pictureOf = (number: number) => png(50_000 + number);

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
