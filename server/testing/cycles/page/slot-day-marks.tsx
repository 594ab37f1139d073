import type { SlotDay } from "../../../../src/contract/cycles.ts";

/** The mark in a cell of the grid. Each kind has its own shape, not only its own colour. */
export type SlotDayMark = "session" | "proof" | "missed" | "open" | "ahead" | "none";

export const markOf = ({ state, countedBy }: Pick<SlotDay, "state" | "countedBy">): SlotDayMark =>
  state === "counted" ? (countedBy ?? "session") : state;

export const markWords: Record<SlotDayMark, string> = {
  session: "counted by a session",
  proof: "counted by a proof",
  missed: "missed",
  open: "open today",
  ahead: "ahead",
  none: "slot not active",
};

const markOrder: readonly SlotDayMark[] = ["session", "proof", "missed", "open", "ahead", "none"];

/** The shape of a mark. Its meaning is written beside it. */
export const Mark = ({ mark }: { readonly mark: SlotDayMark }) => (
  <span class={`mark ${mark}`}>
    <svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8">
      <path d={shapes[mark]} stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  </span>
);

const shapes: Record<SlotDayMark, string> = {
  session: "M3.5 8.6l3 3 6-7",
  proof: "M2.5 5.5h2.7l1-1.7h3.6l1 1.7h2.7v7h-11zM8 7.2a1.9 1.9 0 1 1 0 3.8a1.9 1.9 0 1 1 0-3.8",
  missed: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  open: "M8 3.8a4.2 4.2 0 1 1 0 8.4a4.2 4.2 0 1 1 0-8.4M8 6v2.2l1.4 1",
  ahead: "M8 8h.01",
  none: "M5.5 8h5",
};

/** What the marks of the grid mean. */
export const Legend = () => (
  <ul class="legend" aria-label="What the marks mean">
    {markOrder.map((mark) => (
      <li key={mark}>
        <Mark mark={mark} />
        {markWords[mark]}
      </li>
    ))}
  </ul>
);
