import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import * as z from "zod/mini";

/** The content of a PDF for a reader. */
export interface ReadPdf {
  /** The lines of each page, from the top. */
  readonly pages: readonly (readonly string[])[];
  readonly title: unknown;
  /** The embedded files. */
  readonly files: readonly { readonly name: string; readonly bytes: Buffer }[];
}

const Item = z.object({ str: z.string(), transform: z.array(z.number()), width: z.number() });
const Attachments = z.nullable(
  z.record(z.string(), z.object({ filename: z.string(), content: z.instanceof(Uint8Array) })),
);

/** Reads a PDF with the reader of Firefox. Rejects if it is damaged. */
export async function readPdf(bytes: Buffer): Promise<ReadPdf> {
  const loading = getDocument({ data: new Uint8Array(bytes), stopAtErrors: true, verbosity: 0 });
  const document = await loading.promise;
  const pages: string[][] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const right = page.view[2] ?? 0;
    pages.push(
      linesOf(
        items.map((item) => Item.parse(item)),
        right,
      ),
    );
  }
  const { info } = await document.getMetadata();
  const attached = Attachments.parse(await document.getAttachments());
  await loading.destroy();
  return {
    pages,
    title: z.object({ Title: z.unknown() }).parse(info).Title,
    files: Object.values(attached ?? {}).map(({ filename, content }) => ({
      name: filename,
      bytes: Buffer.from(content),
    })),
  };
}

/** The text by its position on the page. Throws if a line is longer than the page is wide. */
function linesOf(items: readonly z.output<typeof Item>[], right: number): string[] {
  const texts = items.filter(({ str }) => str.trim() !== "");
  const placed = texts.map(({ str, transform, width }) => {
    const [x = 0, height = 0] = transform.slice(4);
    if (x + width > right) throw new Error(`This line leaves the page: ${str}`);
    return { str, x, height, characterWidth: width / str.length };
  });
  const left = Math.min(...placed.map(({ x }) => x));
  const lines = new Map<number, string>();
  for (const { str, x, height, characterWidth } of placed) {
    const before = (lines.get(height) ?? "").padEnd(Math.round((x - left) / characterWidth));
    lines.set(height, before + str);
  }
  return [...lines].sort(([a], [b]) => b - a).map(([, line]) => line);
}
