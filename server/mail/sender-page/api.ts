import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Reader } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { withStatusUrl } from "../../feedback/saved-replies/rules.ts";
import { fileAddresses } from "../../feedback/threads/answer.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { idOfTexts } from "../../secrets/secrets.ts";
import { isMailAddress } from "../address.ts";
import { releaseMails } from "../outgoing/store.ts";
import { addAnswer, answerPauseSeconds, mayAnswer } from "./add-answer.ts";
import { readReportToken, statusPath } from "./links.ts";
import { type ReportRow, reports, type SharedMessage } from "./store.ts";

/** The addresses of a message's images, videos and attachments. */
export type SharedFiles = ReturnType<typeof fileAddresses>;

interface PageMessage extends Omit<SharedMessage, "files"> {
  /** The message's files; undefined if it has none. */
  readonly files: SharedFiles | undefined;
}

/** The content of a sender's page: the report, the messages, and the state. */
export interface SenderPage {
  readonly appName: string;
  readonly status: string;
  readonly message: string;
  readonly createdAt: string;
  readonly files: SharedFiles;
  readonly messages: readonly PageMessage[];
  /** Whether the sender may answer on this page. */
  readonly open: boolean;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type SenderDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings">;

/** Creates the functions of the sender's page. The link to the page is the only credential. (rules M8, M9, M11) */
export const createSenderPages = (deps: SenderDeps) => ({
  /** Returns the content of the page. Throws `not_found` for a link that does not work. */
  async read(token: string): Promise<SenderPage> {
    const { report } = await reportOf(deps, deps.database, token);
    const { appName, status, message, createdAt } = report;
    const addressed = (files: string) => fileAddresses(deps.settings, files);
    const messages = (await reports.conversation(deps.database, report)).map((shared) => ({
      ...withOwnLink(shared, deps.settings, token),
      files: shared.files === null ? undefined : addressed(shared.files),
    }));
    const isOpen = report.feedbackEnabled === 1;
    return { appName, status, message, createdAt, files: addressed(report.files), messages, open: isOpen };
  },

  /**
   * Returns the name of the app. The link works as long as the report exists. Throws `not_found`. (rule M15)
   */
  readStop: async (token: string): Promise<string> =>
    (await mailedReport(deps, deps.database, token)).appName,

  /** Stops the mails about releases from the app to the sender. Throws `not_found` as `readStop` does. */
  async stopMail(token: string): Promise<void> {
    await deps.database.write(async (tx) => {
      const report = await mailedReport(deps, tx, token);
      const recipient = normaliseEmail(report.senderEmail ?? "");
      if (recipient === "") return;
      await releaseMails.unsubscribe(tx, {
        ...{ appId: report.appId, recipient },
        at: deps.clock.now().toISOString(),
      });
    });
  },

  /**
   * Adds an answer. Two calls with the same `once` add one answer. Throws `not_found`, `bad_request`,
   * `feedback_disabled` and `rate_limited`.
   */
  async answer(token: string, text: string, once: string): Promise<void> {
    const body = text.trim();
    const length = [...body].length;
    if (length === 0) throw badRequest("answer", "must not be empty");
    if (length > limits.message) throw badRequest("answer", `must have at most ${limits.message} characters`);
    if (/[\0\uD800-\uDFFF]/u.test(body)) throw badRequest("answer", "must be text without NUL characters");
    if (!uuid.test(once)) throw badRequest("once", "is missing; reload the page");
    await deps.database.write(async (tx) => {
      const { report, mailed } = await reportOf(deps, tx, token);
      if (report.feedbackEnabled !== 1) throw new ApiError("feedback_disabled");
      // `once` is not used as the id, because a sender could choose the id of another object.
      const id = idOfTexts([report.id, once]);
      if (await reports.hasMessage(tx, id)) return;
      if (!(await mayAnswer(deps, tx, report)))
        throw new ApiError("rate_limited", { retryAfterSeconds: answerPauseSeconds });
      const address = normaliseEmail(report.senderEmail ?? "");
      const confirmed = mailed && isMailAddress(address) ? address : undefined;
      await addAnswer(deps, tx, { report, id, body, confirmed });
    });
  },
});

export type SenderPages = ReturnType<typeof createSenderPages>;

/** Replaces the placeholder in a reply with the link to the sender's page that has this `token`. */
const withOwnLink = (message: SharedMessage, { baseUrl }: Deps["settings"], token: string): SharedMessage =>
  message.direction === "inbound"
    ? message
    : { ...message, body: withStatusUrl(message.body, `${baseUrl}${statusPath}/${token}`) };

/** Returns the report to which a link belongs. Throws `not_found` for every kind of wrong link. */
async function reportOf(
  { sealer }: Pick<SenderDeps, "sealer">,
  reader: Reader,
  token: string,
): Promise<{ readonly report: ReportRow; readonly mailed: boolean }> {
  const read = readReportToken(sealer, token);
  const report = read && (await reports.find(reader, read.reportId));
  if (read === undefined || report?.senderPages !== 1 || report.linkCounter !== read.counter)
    throw new ApiError("not_found");
  return { report, mailed: read.mailed };
}

/**
 * Returns the report of a link that stops mails about releases. Accepts old links. Throws `not_found` for a wrong link.
 */
async function mailedReport(
  { sealer }: Pick<SenderDeps, "sealer">,
  reader: Reader,
  token: string,
): Promise<ReportRow> {
  const read = readReportToken(sealer, token);
  const report = read && (await reports.find(reader, read.reportId));
  if (report === undefined) throw new ApiError("not_found");
  return report;
}
