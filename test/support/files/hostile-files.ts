import { gif, jpeg, mov, mp4, pdf, png, type SampleFile, webm, webp } from "./sample-files.ts";

const builds = [png, jpeg, webp, gif, mp4, mov, webm, pdf];
const bytesOf = (text: string) => Buffer.from(text, "latin1");

/** Files of other kinds, none of which is an image, a video or a PDF, even if it claims to be. */
const others: readonly (readonly [what: string, bytes: Buffer])[] = [
  ["nothing", Buffer.alloc(0)],
  ["zeros", Buffer.alloc(2_000)],
  ["an SVG", bytesOf("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")],
  ["an SVG with a prolog", bytesOf("<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>")],
  ["HTML", bytesOf("<!doctype html><script>alert(1)</script>")],
  ["HTML with a PDF far behind", bytesOf(`<script>alert(1)</script>${" ".repeat(1_000)}%PDF-1.4`)],
  ["a shell script", bytesOf("#!/bin/sh\nrm -rf /\n")],
  ["a ZIP archive", bytesOf("PK\u0003\u0004\u0014\0\0\0")],
  ["a gzip archive", Buffer.from("1f8b080000000000", "hex")],
  ["a Windows program", bytesOf("MZ\u0090\0\u0003\0\0\0")],
  ["a Linux program", bytesOf("\u007fELF\u0002\u0001\u0001\0")],
  ["a TIFF image", bytesOf("II*\0\u0008\0\0\0")],
  ["a BMP image", bytesOf("BM\u0036\0\0\0\0\0")],
  ["an icon", Buffer.from("00000100010010100000", "hex")],
  ["a HEIC image", bytesOf("\0\0\0\u0018ftypheic\0\0\0\0mif1heic")],
  ["an AVIF image", bytesOf("\0\0\0\u0018ftypavif\0\0\0\0mif1avif")],
  ["sound in RIFF", bytesOf("RIFF\u0024\0\0\0WAVEfmt ")],
  ["sound in MP4", bytesOf("\0\0\0\u0018ftypM4A \0\0\0\0isomM4A ")],
  ["an MP3", bytesOf("ID3\u0004\0\0\0\0\0\0")],
  ["Matroska", Buffer.from("1a45dfa38b4282886d6174726f736b61", "hex")],
  ["PostScript", bytesOf("%!PS-Adobe-3.0")],
  ["an RTF text", bytesOf("{\\rtf1}")],
  ["a font", bytesOf("wOF2\0\u0001\0\0")],
  ["WebAssembly", bytesOf("\0asm\u0001\0\0\0")],
];

export interface HostileFile extends SampleFile {
  readonly what: string;
}

/** Several hundred files whose claimed kind must not be accepted. `random` returns numbers from 0 to below 1. */
export function hostileFiles(random: () => number, mutants: number): HostileFile[] {
  const kinds = builds.map((build) => build());
  return [
    ...kinds.flatMap((kind) => others.map(([what, bytes]) => ({ ...kind, bytes, what }))),
    ...kinds.flatMap((kind) =>
      kinds
        .filter(({ mediaType }) => fieldOf(mediaType) !== fieldOf(kind.mediaType))
        .map(({ bytes, mediaType }) => ({ ...kind, bytes, what: `${mediaType} under a false name` })),
    ),
    ...kinds.flatMap((kind) => cuts(kind)),
    ...bombs(),
    ...Array.from({ length: mutants }, () =>
      mutant(kinds[Math.floor(random() * kinds.length)] ?? png(), random),
    ),
  ];
}

/** A file is stored with the kind that its bytes show, if its field accepts that kind. */
const fieldOf = (mediaType: string): string => mediaType.replace(/\/.*$/, "");

/** Shorter than the shortest header of any kind. */
const cuts = (kind: SampleFile): HostileFile[] =>
  [1, 2, 3, 4].map((length) => ({ ...kind, bytes: kind.bytes.subarray(0, length), what: `${length} bytes` }));

function bombs(): HostileFile[] {
  const sizes = [
    [0, 1],
    [1, 0],
    [65_535, 65_535],
    [2 ** 31 - 1, 1],
    [2 ** 31 - 1, 2 ** 31 - 1],
  ] as const;
  return sizes.flatMap(([width, height]) => {
    const { bytes, ...file } = png();
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return { ...file, bytes, what: `a picture of ${width} x ${height} pixels` };
  });
}

/** The file with a byte of its signature changed. */
function mutant(kind: SampleFile, random: () => number): HostileFile {
  const bytes = Buffer.from(kind.bytes);
  const at = signatureAt(kind, random);
  bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 255));
  return { ...kind, bytes, what: `${kind.mediaType} with byte ${at} changed` };
}

/** A byte that every file of the kind needs. */
function signatureAt({ mediaType }: SampleFile, random: () => number): number {
  if (/mp4|quicktime/.test(mediaType)) return 4 + Math.floor(random() * 4);
  return Math.floor(random() * (mediaType === "image/jpeg" ? 3 : 4));
}
