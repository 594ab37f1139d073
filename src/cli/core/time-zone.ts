/** The IANA name of this machine's time zone; undefined if only its offset is known. */
export function systemTimeZone(): string | undefined {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone && !/^[+-]|Unknown/.test(timeZone) ? timeZone : undefined;
}
