import { randomBytes } from "node:crypto";

/** The folder of all generations. */
export const generationsFolder = "generations";

/** An instant as a part of a name, such as `20261123T185329123Z`. */
const compact = (at: Date): string => at.toISOString().replace(/[-:.]/g, "");

function instantIn(text: string): Date | undefined {
  const [, year, month, day, hour, minute, second, milli] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/.exec(text) ?? [];
  return year === undefined
    ? undefined
    : new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milli}Z`);
}

/** A new name for a generation that begins at this instant. */
export const generationName = (at: Date): string => `${compact(at)}-${randomBytes(4).toString("hex")}`;

/** When a generation began; undefined if this is not the name of one. */
export const begunAt = (generation: string): Date | undefined =>
  /^[^-]+-[\da-f]{8}$/.test(generation) ? instantIn(generation.slice(0, -9)) : undefined;

/** A link by its name. */
export interface LinkName {
  readonly name: string;
  readonly number: number;
  /** The instant to which it can be restored; undefined for a part. */
  readonly at: Date | undefined;
}

export function linkName(number: number, at: Date | undefined): string {
  const padded = String(number).padStart(10, "0");
  return at ? `${padded}-${compact(at)}.link` : `${padded}.link`;
}

/** The links among the names of a folder, in their order. */
export function linksIn(names: readonly string[]): LinkName[] {
  const found: LinkName[] = [];
  for (const name of names) {
    const [, number, instant] = /^(\d{10})(?:-([\dTZ]+))?\.link$/.exec(name) ?? [];
    const at = instant === undefined ? undefined : instantIn(instant);
    if (number !== undefined && (instant === undefined || at))
      found.push({ name, number: Number(number), at });
  }
  return found.sort((one, other) => one.number - other.number);
}

/** Whether something can be restored with these links, which are in order: the first one must be there, and one that ends at an instant. */
export const canRestore = (links: readonly LinkName[]): boolean =>
  links[0]?.number === 0 && links.some(({ at }) => at !== undefined);
