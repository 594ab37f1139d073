import type { ComponentChildren } from "preact";

export interface EmptyProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** What stands where nothing is yet: what would be here, and how it comes. */
export const Empty = ({ title, children }: EmptyProps) => (
  <section class="empty">
    <svg viewBox="0 0 44 44" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5">
      <path d="M15 14a7 7 0 0 1 14 0M11 15h22l-2.4 17.5a2 2 0 0 1-2 1.7H15.4a2 2 0 0 1-2-1.7z" />
      <path d="M16 39h12" stroke-linecap="round" />
    </svg>
    <h2>{title}</h2>
    {children}
  </section>
);
