import { Line } from "./text.tsx";

export interface ByProps {
  /** Who did it; undefined if no member did, or if nobody knows any more. */
  readonly change: { readonly email: string } | undefined;
}

/** The person who did something, after the words that say what. */
export const By = ({ change }: ByProps) =>
  change === undefined ? null : (
    <>
      {" by "}
      <Line text={change.email} />
    </>
  );
