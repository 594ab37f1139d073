import { entriesIn, type JournalEntry } from "../files/erasure-journal.ts";
import type { Identity, Recipient } from "../secrets/age/age-keys.ts";
import { seal, unseal } from "./link.ts";
import { generationsFolder } from "./names.ts";
import { MissingCopy, type Place } from "./places/place.ts";

const journalName = "erasures";

const secretOf = (generation: string): string => `${generationsFolder}/${generation}/secret`;

/** Copies the journal of erasures. */
export const copyJournal = async (
  place: Place,
  text: Buffer,
  recipients: readonly Recipient[],
): Promise<void> => place.put(journalName, await seal(text, recipients));

/** The erasures that the place knows. */
export async function copiedJournal(place: Place, identities: readonly Identity[]): Promise<JournalEntry[]> {
  const text = await openIfThere(place, journalName, identities);
  return entriesIn(text?.toString("utf8") ?? "");
}

/** Copies the secret of the data folder for a generation. */
export const copySecret = async (
  place: Place,
  { generation, secret }: { readonly generation: string; readonly secret: Buffer },
  recipients: readonly Recipient[],
): Promise<void> => place.put(secretOf(generation), await seal(secret, recipients));

/** The secret of a generation; undefined if the server had it from its environment. */
export const copiedSecret = (
  place: Place,
  generation: string,
  identities: readonly Identity[],
): Promise<Buffer | undefined> => openIfThere(place, secretOf(generation), identities);

async function openIfThere(
  place: Place,
  name: string,
  identities: readonly Identity[],
): Promise<Buffer | undefined> {
  const sealed = await place.get(name).catch((error) => {
    if (error instanceof MissingCopy) return undefined;
    throw error;
  });
  return sealed && unseal(name, sealed, identities);
}
