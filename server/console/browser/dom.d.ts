// Selectors that begin with a listed tag name find elements of that type. Other selectors find a
// `FoundElement`.

interface FoundElement extends HTMLElement {
  readonly cellIndex: number;
  disabled: boolean;
  href: string;
  open: boolean;
  value: string;
  select(): void;
}
interface EventTarget {
  closest(selectors: `button${string}`): HTMLButtonElement | null;
  closest(selectors: string): FoundElement | null;
  readonly dataset: DOMStringMap;
  getAttribute(name: string): string | null;
}
interface ParentNode {
  querySelector(selectors: `button${string}`): HTMLButtonElement | null;
  querySelector(selectors: `form${string}`): HTMLFormElement | null;
  querySelector(selectors: string): FoundElement | null;
  querySelectorAll(selectors: `button${string}`): NodeListOf<HTMLButtonElement>;
  querySelectorAll(selectors: `form${string}`): NodeListOf<HTMLFormElement>;
  querySelectorAll(selectors: `select${string}`): NodeListOf<HTMLSelectElement>;
  querySelectorAll(selectors: string): NodeListOf<FoundElement>;
}
interface Document {
  getElementById(id: string): FoundElement | null;
}
interface Element {
  closest(selectors: `button${string}`): HTMLButtonElement | null;
  closest(selectors: "table"): HTMLTableElement | null;
  closest(selectors: "tr"): HTMLTableRowElement | null;
  closest(selectors: string): FoundElement | null;
}
