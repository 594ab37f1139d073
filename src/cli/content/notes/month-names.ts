/** The languages whose names of months are read beside the English ones. No name means two months among them. */
const languages = [
  ...["de", "fr", "es", "it", "pt", "nl", "pl", "cs", "ru", "uk", "sv", "da", "nb", "fi", "tr", "ro"],
];

const forms = [{ month: "long", day: "numeric" }, { month: "long" }, { month: "short" }] as const;

let known: ReadonlyMap<string, number> | undefined;

/** The number of each month by its names: `märz`, `février`, `мая`. */
export function monthNames(): ReadonlyMap<string, number> {
  known ??= new Map(languages.flatMap(namesIn));
  return known;
}

const namesIn = (language: string): (readonly [string, number])[] =>
  forms.flatMap((form) => {
    const format = new Intl.DateTimeFormat(language, { ...form, timeZone: "UTC" });
    return Array.from({ length: 12 }, (_, at) => [nameOf(format, at), at + 1] as const);
  });

function nameOf(format: Intl.DateTimeFormat, at: number): string {
  const parts = format.formatToParts(new Date(Date.UTC(2026, at, 1)));
  const name = parts.find(({ type }) => type === "month")?.value ?? "";
  return name.normalize("NFC").toLowerCase().replace(/\.$/, "");
}
