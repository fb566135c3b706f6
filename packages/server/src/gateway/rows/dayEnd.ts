const daySeconds = 86_400

/** The next 00:00 UTC: what is said of today holds until then, whether a block comes or not. */
export function dayEndS(nowS: number): number {
  return (Math.floor(nowS / daySeconds) + 1) * daySeconds
}
