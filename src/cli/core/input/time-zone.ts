/** The time zone of this machine by its IANA name; undefined where it is only known by its offset. */
export function systemTimeZone(): string | undefined {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone && !/^[+-]|Unknown/.test(timeZone) ? timeZone : undefined;
}
