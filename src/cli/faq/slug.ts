const longest = 60;
/** Names that Windows keeps for devices. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d|readme)$/;

/** The same text for all names that Windows or macOS treats as one: it ignores case and compositions of letters. */
export const foldedName = (name: string): string => name.normalize("NFC").toUpperCase().normalize("NFC");

/** A file name without its ending, made of a question: letters, digits and hyphens. `taken` has folded names. */
export function slugOf(question: string, taken: ReadonlySet<string>): string {
  const words = question
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu);
  const cut = [...(words ?? ["entry"]).join("-")].slice(0, longest).join("").replace(/-$/, "");
  const slug = reserved.test(cut) ? `${cut}-entry` : cut;
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? slug : `${slug}-${count}`;
    if (!taken.has(foldedName(name))) return name;
  }
}
