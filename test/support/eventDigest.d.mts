/** SHA-256 of what an entry changed, as hex; equal for equal events. */
export function eventDigest(events: readonly unknown[]): string
