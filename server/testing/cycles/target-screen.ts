/**
 * The screen of the day for a slot. It is always the same for the same slot and day, spread evenly over the screens, and
 * differs from the day before if there are at least two screens. (rule T27)
 */
export function targetScreen(screens: readonly string[], slotId: string, dayIndex: number): string {
  if (screens.length === 0) return "";
  const seed = hash(slotId);
  let at = mixed(seed) % screens.length;
  for (let day = 2; day <= dayIndex; day += 1) {
    // A step of at least one and less than the number of screens never ends at the same screen.
    at = (at + 1 + (mixed(seed + day) % Math.max(1, screens.length - 1))) % screens.length;
  }
  return screens[at] ?? "";
}

/** FNV-1a of 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value;
}

/** Every bit of the result depends on every bit of the number. */
function mixed(number: number): number {
  let value = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
