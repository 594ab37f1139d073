/** A duration in words, for a sentence. */
export function formatDuration(seconds: number): string {
  if (seconds >= 3_600) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return seconds >= 60 ? `${Math.floor(seconds / 60)} min` : `${seconds} s`;
}
