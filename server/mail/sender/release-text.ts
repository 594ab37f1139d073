import { quotedBeginning } from "./rules.ts";

/** A release note, and the report of the sender who gets the mail. */
export interface ToldRelease {
  readonly appName: string;
  readonly version: string;
  readonly title: string;
  readonly message: string;
  readonly createdAt: string;
  readonly statusUrl: string;
  readonly stopUrl: string;
}

/** The text of the mail about a release for one sender. (rule M15) */
export const releaseText = ({ appName, version, title, message, createdAt, ...links }: ToldRelease): string =>
  [
    `${appName} ${version} is out: ${title}`,
    "",
    `It has to do with what you wrote on ${createdAt.slice(0, 10)}:`,
    ...quotedBeginning(message),
    "",
    "Your page, where you can answer:",
    links.statusUrl,
    "",
    "-- ",
    `No more mail about releases of ${appName}:`,
    links.stopUrl,
  ].join("\n");
