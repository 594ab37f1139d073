import { visibleLine } from "../../../../src/words/hidden.ts";
import { versionOf } from "../../../console/filled-form.ts";
import { Line } from "../../../console/text.tsx";

export interface AnsweringProps {
  /** Unique on the page. */
  readonly id: string;
  /** The addresses of the other members who write in the thread. */
  readonly people: readonly string[];
  /** Whether screen readers read it when it changes. A page that shows it twice has it read once. */
  readonly isRead?: boolean;
}

/** At most so many members are named, by their addresses. */
const mostNamed = 3;

/** Says who else writes an answer in the thread now. An open page asks again by itself. (rule F36) */
export const Answering = ({ id, people, isRead = false }: AnsweringProps) => {
  const traits = { id, class: "answering", "data-live": versionOf(people) };
  if (people.length === 0) return <p {...traits} hidden />;
  const named = people.slice(0, mostNamed);
  const parts = lists.formatToParts(people.length > mostNamed ? [...named, "others"] : named);
  const verb = people.length === 1 ? "is answering." : "are answering.";
  const words = visibleLine(`${parts.map(({ value }) => value).join("")} ${verb}`);
  return (
    <p {...traits} data-news={isRead ? words : undefined}>
      {parts.map(({ value }) => (named.includes(value) ? <Line key={value} text={value} /> : value))} {verb}
    </p>
  );
};

const lists = new Intl.ListFormat("en-GB");
