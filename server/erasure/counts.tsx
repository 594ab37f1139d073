import type { Erasure, Preview } from "../../src/contract/people.ts";

type Counts = Partial<Erasure["counts"]> & Preview["counts"];

const words: readonly (readonly [keyof Erasure["counts"], string])[] = [
  ["threads", "Threads of the person"],
  ["reports", "Reports blanked, because others reported the same"],
  ["messages", "Repeats and answers in other threads"],
  ["files", "Files"],
  ["mails", "Mails and notes on the address"],
  ["invitations", "Invitations"],
  ["seats", "Seats in tests that are over"],
  ["answers", "Stored answers to requests"],
  ["audit", "Entries of the audit log"],
  ["texts", "Texts of others with the address"],
];

/** What was found of a person, or erased. */
export const PersonCounts = ({ counts }: { readonly counts: Counts }) => (
  <dl class="pairs">
    {words
      .filter(([name]) => counts[name] !== undefined)
      .map(([name, label]) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd>{String(counts[name])}</dd>
        </div>
      ))}
  </dl>
);
