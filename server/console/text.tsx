import { piecesOf } from "../../src/words/hidden.ts";

export interface UserTextProps {
  readonly text: string;
  /** Keeps every column in its place, for a plan that will be followed exactly. */
  readonly exact?: boolean;
}

/** Text as its writer typed it. Hidden characters are shown as marks. */
export const UserText = ({ text, exact = false }: UserTextProps) => (
  <div class={exact ? "written exact" : "written"}>{marked(text)}</div>
);

/** The same within a line of text. */
export const Line = ({ text }: { readonly text: string }) => <bdi>{marked(text)}</bdi>;

/** Says how many characters of these texts are hidden; nothing when none are. */
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
