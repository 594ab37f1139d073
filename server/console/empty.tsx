import type { ComponentChildren } from "preact";

export interface EmptyProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** Stands in place of an empty list: says what belongs there and how to get it. */
export const Empty = ({ title, children }: EmptyProps) => (
  <section class="empty">
    <svg viewBox="0 0 44 44" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5">
      <path d="M9 30a13 13 0 0 1 26 0z" stroke-linejoin="round" />
      <path d="M6 35h32M22 17v-4M18 12h8" stroke-linecap="round" />
    </svg>
    <h2>{title}</h2>
    {children}
  </section>
);
