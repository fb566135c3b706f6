/** SHA-256 of an entry's events as hex; equal for equal events. */
export function eventDigest(events: readonly unknown[]): string
