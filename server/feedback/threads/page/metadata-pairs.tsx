import { Line } from "../../../console/text.tsx";
import { aFewLines, FoldedText } from "./texts.tsx";

interface PairProps {
  readonly name: string;
  readonly value: string | null;
}

/** A name and its value in a list of facts. A long name stands above its value. Shows nothing without a value. */
export const Pair = ({ name, value }: PairProps) =>
  value === null || value === "" ? null : (
    <div class={isLong(name, value) ? "long" : undefined}>
      <dt>
        <Line text={name} />
      </dt>
      <dd>
        <FoldedText text={value} most={aFewLines} />
      </dd>
    </div>
  );

const isLong = (name: string, value: string): boolean => name.length > 14 || value.includes("\n");

/** How many entries are not folded. */
const mostShown = 12;

/** Metadata as a list of facts. A long list is folded. */
export const MetadataPairs = ({ metadata }: { readonly metadata: Readonly<Record<string, unknown>> }) => {
  const entries = Object.entries(metadata);
  const [shown, folded] = [entries.slice(0, mostShown), entries.slice(mostShown)];
  if (entries.length === 0) return null;
  return (
    <>
      <dl class="pairs">{pairsOf(shown)}</dl>
      {folded.length > 0 && (
        <details class="reveal">
          <summary>{`Show ${folded.length} more`}</summary>
          <dl class="pairs">{pairsOf(folded)}</dl>
        </details>
      )}
    </>
  );
};

const pairsOf = (entries: readonly (readonly [string, unknown])[]) =>
  entries.map(([name, value]) => <Pair key={name} name={name} value={textOf(value)} />);

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
