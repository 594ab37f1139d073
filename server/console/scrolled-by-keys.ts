/** Attributes of an element that scrolls. With the focus, it is scrolled by the arrow keys. */
export const scrolledByKeys = { tabIndex: 0 };
