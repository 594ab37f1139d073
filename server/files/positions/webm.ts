import type { FileBytes } from "./file-bytes.ts";

/**
 * Overwrites what players do not need, such as tags and attachments, with unused elements of the same length.
 */
export function keepPlayedWebm(bytes: FileBytes): void {
  const film: Film = { bytes, silent: new Set(), left: mostElements };
  // Segments and clusters may have an unknown length. One loop reads both, because their inner elements have
  // different ids.
  for (const element of elementsIn(film, { from: 0, to: bytes.size, opened: [segment, cluster] }))
    keepNeeded(film, element, neededInFile);
}

// A film of 10 MiB has about ten thousand elements. Many more elements are an attack.
const mostElements = 200_000;

interface Film {
  readonly bytes: FileBytes;
  /** The numbers of the tracks that are neither seen nor heard. */
  readonly silent: Set<number>;
  /** How many more elements may be read. */
  left: number;
}

interface Element {
  readonly id: number;
  readonly from: number;
  /** Where the content of the element begins. */
  readonly inner: number;
  readonly to: number;
}

/** The elements that are kept. Each is kept completely, or with only some of its inner elements. */
type Needed = ReadonlyMap<number, Needed | "whole">;

const segment = 0x18538067;
const cluster = 0x1f43b675;
const trackEntry = 0xae;
const trackNumber = 0xd7;
const trackType = 0x83;
const simpleBlock = 0xa3;
const blockGroup = 0xa0;
const block = 0xa1;
const unused = 0xec;

const needed = (whole: readonly number[], parts: readonly (readonly [number, Needed])[] = []): Needed =>
  new Map<number, Needed | "whole">([...whole.map((id) => [id, "whole"] as const), ...parts]);

/** The kept information about a film: time scale, duration, and the programs that wrote the film. */
const info = needed([0x2ad7b1, 0x4489, 0x4d80, 0x5741]);

/** The kept elements of a track: all except its name and elements from later drafts of the standard. */
const track = needed([
  ...[trackNumber, 0x73c5, trackType, 0xb9, 0x88, 0x55aa, 0x9c, 0x6de7, 0x6df8, 0x23e383, 0x234e7a, 0x23314f],
  ...[0x55ee, 0x22b59c, 0x22b59d, 0x86, 0x63a2, 0xaa, 0x56aa, 0x56bb, 0xe0, 0xe1, 0x41e4, 0x6d80],
]);

const group = needed([block, 0x9b, 0xfb, 0x75a2, 0x75a1, 0xfa]);

/** The elements that are kept in the file. They are the header, the indexes, and the content of clusters. */
const neededInFile = needed(
  [0x1a45dfa3, 0x114d9b74, 0x1c53bb6b, 0xe7, 0xa7, 0xab, simpleBlock],
  [
    [0x1549a966, info],
    [0x1654ae6b, needed([], [[trackEntry, track]])],
    [blockGroup, group],
  ],
);

function keepNeeded(film: Film, element: Element, needed: Needed): void {
  const inner = isSilent(film, element) ? undefined : needed.get(element.id);
  if (inner === undefined) empty(film.bytes, element);
  else if (inner !== "whole") for (const part of partsOf(film, element)) keepNeeded(film, part, inner);
}

const partsOf = (film: Film, { inner, to }: Element) => elementsIn(film, { from: inner, to, opened: [] });

/** Whether an element belongs to a track that is neither seen nor heard. Adds this track to `silent`. */
function isSilent(film: Film, element: Element): boolean {
  if (element.id === trackEntry) return isSilentTrack(film, element);
  if (film.silent.size === 0) return false;
  if (element.id === simpleBlock) return isOfSilent(film, element);
  if (element.id !== blockGroup) return false;
  for (const part of partsOf(film, element)) if (part.id === block && isOfSilent(film, part)) return true;
  return false;
}

const isOfSilent = ({ bytes, silent }: Film, { inner }: Element): boolean =>
  silent.has(numberAt(bytes.read(inner, 8))?.value ?? 0);

const seenOrHeard = [1, 2];

function isSilentTrack(film: Film, element: Element): boolean {
  const numbers = new Map<number, number>();
  for (const { id, inner, to } of partsOf(film, element))
    if (id === trackNumber || id === trackType)
      numbers.set(id, film.bytes.read(inner, Math.min(8, to - inner)).reduce(joined, 0));
  if (seenOrHeard.includes(numbers.get(trackType) ?? 0)) return false;
  film.silent.add(numbers.get(trackNumber) ?? 0);
  return true;
}

const joined = (value: number, byte: number): number => value * 256 + byte;

/**
 * Yields the elements from `from` to `to`. Overwrites the rest after an unreadable element or too many
 * elements.
 */
function* elementsIn(
  film: Film,
  {
    from,
    to,
    opened,
  }: {
    readonly from: number;
    readonly to: number;
    /** The ids of the elements that are not yielded. Their inner elements are yielded instead. */
    readonly opened: readonly number[];
  },
): Generator<Element> {
  for (let at = from; at < to; ) {
    film.left -= 1;
    const element = film.left < 0 ? undefined : elementAt(film.bytes, at, to);
    if (!element) return fill(film.bytes, at, to);
    if (opened.includes(element.id)) at = element.inner;
    else {
      yield element;
      at = element.to;
    }
  }
}

function elementAt(bytes: FileBytes, from: number, end: number): Element | undefined {
  const head = bytes.read(from, Math.min(12, end - from));
  const idLength = Math.clz32(head[0] ?? 0) - 23;
  const size = idLength > 4 ? undefined : numberAt(head.subarray(idLength));
  if (!size) return undefined;
  const id = head.readUIntBE(0, idLength);
  const inner = from + idLength + size.length;
  // An element of unknown length ends at `end`.
  return { id, from, inner, to: size.isUnknown ? end : Math.min(end, inner + size.value) };
}

/** Reads a number whose first byte contains its length in bytes; undefined if it is not complete. */
function numberAt(bytes: Uint8Array) {
  const length = Math.clz32(bytes[0] ?? 0) - 23;
  if (length > 8 || bytes.length < length) return undefined;
  let value = (bytes[0] ?? 0) & (0xff >> length);
  for (let at = 1; at < length; at++) value = value * 256 + (bytes[at] ?? 0);
  return { length, value, isUnknown: value >= 2 ** (7 * length) - 1 };
}

function empty(bytes: FileBytes, { from, inner, to }: Element): void {
  // After the one-byte id, the length field fills the space before the content. A large length needs eight
  // bytes.
  const lengthBytes = Math.min(8, inner - from - 1);
  const width = to - from - 1 - lengthBytes < 2 ** (7 * lengthBytes) - 1 ? lengthBytes : 8;
  const length = Buffer.alloc(width);
  if (width > 6) length.writeUIntBE(to - from - 1 - width, width - 6, 6);
  else length.writeUIntBE(to - from - 1 - width, 0, width);
  length[0] = (length[0] ?? 0) | (0x80 >> (width - 1));
  bytes.write(from, Buffer.concat([Buffer.of(unused), length]));
  bytes.erase(from + 1 + width, to - from - 1 - width);
}

/** Overwrites a span with one unused element, or with zeros if it is too short for an element. */
function fill(bytes: FileBytes, from: number, to: number): void {
  const head = to - from > 128 ? 9 : 2;
  if (to - from < 2) bytes.erase(from, to - from);
  else empty(bytes, { id: unused, from, inner: from + head, to });
}
