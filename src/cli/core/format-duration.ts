/** A duration in words, for a sentence. */
export function formatDuration(seconds: number): string {
  const minutes = Math.floor((seconds % 3_600) / 60);
  if (seconds >= 3_600) return `${Math.floor(seconds / 3_600)} h${minutes > 0 ? ` ${minutes} min` : ""}`;
  return seconds >= 60 ? `${Math.floor(seconds / 60)} min` : `${seconds} s`;
}
