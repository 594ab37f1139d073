import { quotedBeginning } from "./rules.ts";

/** The fields of the metadata in which apps write the language of a report. */
const namesOfLanguage = ["language", "locale", "lang"];

/** Returns the language that an app has written into the metadata of a report; undefined if it has written none. */
export function languageOfReport(metadata: string): string | undefined {
  const values: ReadonlyMap<string, unknown> = new Map(Object.entries(Object(JSON.parse(metadata))));
  return namesOfLanguage
    .map((name) => values.get(name))
    .find((value) => typeof value === "string" && value !== "")
    ?.toString();
}

/** Returns the text of the mail about a release note for one sender. (rule M15) */
export const releaseText = ({
  appName,
  version,
  title,
  message,
  createdAt,
  ...links
}: {
  readonly appName: string;
  readonly version: string;
  readonly title: string;
  /** The text of the sender's report. */
  readonly message: string;
  readonly createdAt: string;
  readonly statusUrl: string;
  readonly stopUrl: string;
}): string =>
  [
    `${appName} ${version} is available: ${title}`,
    "",
    `This release is about your message of ${createdAt.slice(0, 10)}:`,
    ...quotedBeginning(message),
    "",
    "You can answer on your page:",
    links.statusUrl,
    "",
    "-- ",
    `To stop mails about releases of ${appName}:`,
    links.stopUrl,
  ].join("\n");
