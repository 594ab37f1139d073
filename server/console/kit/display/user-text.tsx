import { piecesOf } from "./visible-text.ts";

export interface UserTextProps {
  readonly text: string;
  /** Every column in its place, as in a plan that will be followed to the letter. */
  readonly exact?: boolean;
}

/** Text that somebody wrote, just as they wrote it, with whatever hides in it made visible. */
export const UserText = ({ text, exact = false }: UserTextProps) => (
  <div class={exact ? "written exact" : "written"}>{marked(text)}</div>
);

/** The same within a line. */
export const Line = ({ text }: { readonly text: string }) => <bdi>{marked(text)}</bdi>;

/** How many characters of a text would not be seen, told where there are any. */
export const HiddenCount = ({ texts }: { readonly texts: readonly string[] }) => {
  const count = texts.flatMap(piecesOf).filter(({ kind }) => kind === "hidden").length;
  if (count === 0) return null;
  return (
    <p class="notice attention">
      {count === 1 ? "One character here is" : `${count} characters here are`} invisible or change the
      direction of the text. Each is shown as a mark such as <Mark code="U+202E" name="an example" />.
    </p>
  );
};

const marked = (text: string) =>
  piecesOf(text).map((piece) =>
    piece.kind === "plain" ? piece.text : <Mark key={piece.at} code={piece.code} name={piece.name} />,
  );

const Mark = ({ code, name }: { readonly code: string; readonly name: string }) => (
  <span class="hidden-mark" title={name}>
    {code}
  </span>
);
