// What a selector finds is not known to the compiler. Names, modules and calls are checked.
// biome-ignore-all lint/suspicious/noExplicitAny: see above
interface EventTarget {
  closest(selectors: string): any;
  readonly dataset: DOMStringMap;
  getAttribute(name: string): string | null;
}
interface ParentNode {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}
interface Document {
  getElementById(id: string): any;
}
interface Element {
  closest(selectors: string): any;
}
