import type { Deps } from "../../deps.ts";
import type { Sealer } from "../../secrets/secrets.ts";

/** The path of the sender's page, below the address of the server. */
export const statusPath = "/p/t";

/** The address of the page on which the sender of a report reads replies. It is a credential for exactly that. (rule M8) */
export const statusUrlOf = (
  { sealer, settings }: Pick<Deps, "sealer" | "settings">,
  token: ReportToken,
): string => `${settings.baseUrl}${statusPath}/${reportTokenOf(sealer, token)}`;

/** What the link to a sender's page says. */
interface ReportToken {
  /** The id of a thread, or of a repeat on it. */
  readonly reportId: string;
  /** Only the newest link of a report works. */
  readonly counter: number;
  /** Whether the link was sent by mail: its reader has that address. */
  readonly mailed: boolean;
}

const idBytes = 16;

const macDigits = 32;

const form = /^[\w-]{50}$/;

/** The token of a link: id, counter and MAC. No row is stored, so it can be made again at any time. (rule M8) */
export function reportTokenOf(
  sealer: Pick<Sealer, "mark">,
  { reportId, counter, mailed }: ReportToken,
): string {
  const id = reportId.replaceAll("-", "").toLowerCase();
  const head = `${id}${counter.toString(16).padStart(8, "0")}${mailed ? "01" : "00"}`;
  const mac = sealer.mark(markedText(head)).slice(0, macDigits);
  return Buffer.from(head + mac, "hex").toString("base64url");
}

/** What a token says; undefined if we did not make it. */
export function readReportToken(sealer: Pick<Sealer, "isMark">, token: string): ReportToken | undefined {
  if (!form.test(token)) return undefined;
  const bytes = Buffer.from(token, "base64url");
  const [head, mac] = [bytes.subarray(0, idBytes + 5), bytes.subarray(idBytes + 5)];
  if (
    bytes.toString("base64url") !== token ||
    !sealer.isMark(markedText(head.toString("hex")), mac.toString("hex"))
  )
    return undefined;
  return {
    reportId: uuidOf(head.subarray(0, idBytes)),
    counter: head.readUInt32BE(idBytes),
    mailed: head.readUInt8(idBytes + 4) === 1,
  };
}

const markedText = (head: string): string => `sender's page\n${head}`;

const uuidOf = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

// The form of a link to a sender's page, also inside another address, as programs that check links write it. A token has 50
// characters, fewer where a text was cut.
const link =
  /((?:\/|%(?:25){0,3}2F)p(?:\/|%(?:25){0,3}2F)t(?:\/|%(?:25){0,3}2F))[\w-]{20,}|(_p_t_)[\w-]{50,}/gi;

/**
 * A text without the tokens of sender's pages, which mail programs quote and people paste: who reads the thread must not get them.
 * (rule M8)
 */
export const withoutSenderLinks = (text: string): string => text.replace(link, "$1$2…");
