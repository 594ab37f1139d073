import { Line, UserText } from "../../../console/parts.tsx";

/**
 * A name and its value in a list of facts. A long name is shown above its value. Shows nothing if there is no value.
 */
export const Pair = ({ name, value }: { readonly name: string; readonly value: string | null }) =>
  value === null || value === "" ? null : (
    <div class={isLong(name, value) ? "long" : undefined}>
      <dt>
        <Line text={name} />
      </dt>
      <dd>{isShort(value) ? <Line text={value} /> : <FoldedText text={value} most={aFewLines} />}</dd>
    </div>
  );

/**
 * Whether a value is short and has one line. Such a value is shown beside its name, even if it is written from right to
 * left.
 */
const isShort = (value: string): boolean => value.length <= 120 && !value.includes("\n");

const isLong = (name: string, value: string): boolean => name.length > 14 || value.includes("\n");

interface Most {
  readonly lines: number;
  readonly characters: number;
}

const aScreen: Most = { lines: 40, characters: 3_500 };

/** How much of a text is shown without folding in a narrow column with many texts. */
export const aFewLines: Most = { lines: 8, characters: 400 };

/** A text of any length. If it is long, its end is folded. */
export const FoldedText = ({
  text,
  rest = "more lines",
  most = aScreen,
}: {
  readonly text: string;
  /** The name of the folded part, such as `more lines`. It is shown after the number of lines. */
  readonly rest?: string;
  /** The part of a long text that is not folded. */
  readonly most?: Most;
}) => {
  const at = foldPosition(text, most);
  if (at === text.length) return <UserText text={text} />;
  const lines = text.slice(at).split("\n").length;
  return (
    <div>
      <UserText text={text.slice(0, at).trimEnd()} />
      <details class="reveal rest">
        <summary>{lines > 1 ? `Show ${lines.toLocaleString("en")} ${rest}` : "Show the rest"}</summary>
        <UserText text={text.slice(at)} />
      </details>
    </div>
  );
};

/** Returns where the folded part of a text begins: after a line or a word. A short end is not folded. */
function foldPosition(text: string, most: Most): number {
  const byLines = afterLine(text, most.lines);
  const at = Math.min(byLines, most.characters);
  if (text.length - at < most.characters / 4 && text.slice(at).split("\n").length < most.lines / 2) {
    return text.length;
  }
  if (at === byLines) return at;
  const gap = text.slice(0, at).search(/\s\S*$/);
  return gap > at / 2 ? gap + 1 : wholeCharacter(text, at);
}

/** Returns the position `at`. If it is inside a surrogate pair, returns the position before that pair. */
const wholeCharacter = (text: string, at: number): number =>
  (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;

function afterLine(text: string, count: number): number {
  let at = 0;
  for (let line = 0; line < count; line += 1) {
    const end = text.indexOf("\n", at);
    if (end === -1) return text.length;
    at = end + 1;
  }
  return at;
}
