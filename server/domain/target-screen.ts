/**
 * Today's screen for a seat: always the same for the same seat and day, spread evenly over the screens, and another than
 * the day before where there are two. (decisions 4: targetScreen)
 */
export function targetScreen(screens: readonly string[], slotId: string, dayIndex: number): string {
  if (screens.length === 0) return "";
  let at = hash(`${slotId} 1`) % screens.length;
  for (let day = 2; day <= dayIndex; day += 1) {
    // A step of at least one and less than a whole round never ends where it began.
    at = (at + 1 + (hash(`${slotId} ${day}`) % Math.max(1, screens.length - 1))) % screens.length;
  }
  return screens[at] ?? "";
}

/** FNV-1a of 32 bits; its low bits alone follow those of the text, so that all are mixed at the end. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
