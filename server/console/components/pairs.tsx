import { Line, Written } from "./written.tsx";

interface PairProps {
  readonly name: string;
  readonly value: string | null;
}

/** A name and its value in a list of facts; nothing where there is no value. */
export const Pair = ({ name, value }: PairProps) =>
  value === null || value === "" ? null : (
    <>
      <dt>
        <Line text={name} />
      </dt>
      <dd>
        <Written text={value} />
      </dd>
    </>
  );

/** The entries of metadata as facts. */
export const pairsOf = (metadata: Readonly<Record<string, unknown>>) =>
  Object.entries(metadata).map(([name, value]) => <Pair key={name} name={name} value={textOf(value)} />);

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
