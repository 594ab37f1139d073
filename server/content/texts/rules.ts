const address = /\/uploads\/([\w-]{16,100}(?:\.[a-z0-9]{1,8})?)/g;

/** Returns the names of the stored pictures that these texts show, without repeats. */
export const picturesIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(address)].map(([, name = ""]) => name))),
];

/** Returns the Markdown that shows a picture. Its description is the name of the file without its ending. */
export const markdownOfPicture = (url: string, fileName: string | null): string =>
  `![${descriptionOf(fileName ?? "")}](${url})`;

const descriptionOf = (fileName: string): string =>
  fileName
    .replace(/\.[A-Za-z0-9]{1,8}$/, "")
    .replace(/[\\[\]<>`*_!&\s\p{C}]+/gu, " ")
    .trim();
