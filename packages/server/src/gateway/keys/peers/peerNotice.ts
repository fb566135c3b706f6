/** What one account did at a process since its last report: account, time its requests are worth, requests that were wanted. */
export type RateReport = readonly [accountId: number, takenMs: number, wanted: number]

/** The sockets that a process has open for a key. */
export type SocketReport = readonly [keyId: number, count: number]

/** What processes that serve the same keys tell each other. */
export type PeerNotice = {
  from: string
  /** `hello` asks all others for a report of all that they have; with `bye` a process is gone. */
  kind: 'hello' | 'report' | 'bye'
  /** Counts the notices of a process. */
  number: number
  rates: readonly RateReport[]
  sockets: readonly SocketReport[]
}

// PostgreSQL carries less than 8,000 bytes in a notice; a report has at most 35.
const reportsMax = 200

/** As texts, each small enough to be sent. */
export function encodeNotices({ from, kind, number, rates, sockets }: PeerNotice): string[] {
  const texts: string[] = []
  const count = Math.max(rates.length, sockets.length, 1)
  const half = reportsMax / 2
  for (let at = 0; at < count; at += half)
    texts.push(
      JSON.stringify([
        ...[from, kind, number],
        rates.slice(at, at + half),
        sockets.slice(at, at + half),
      ]),
    )
  return texts
}

/** Null: nothing that this version knows. */
export function decodeNotice(text: string): PeerNotice | null {
  let parts: unknown
  try {
    parts = JSON.parse(text)
  } catch {
    return null
  }
  if (!Array.isArray(parts)) return null
  const [from, kind, number, rates, sockets] = parts
  const isKnown = kind === 'hello' || kind === 'report' || kind === 'bye'
  if (typeof from !== 'string' || !isKnown || !Number.isSafeInteger(number)) return null
  if (!areNumbers(rates, 3) || !areNumbers(sockets, 2)) return null
  return { from, kind, number, rates: rates as RateReport[], sockets: sockets as SocketReport[] }
}

function areNumbers(rows: unknown, length: number): boolean {
  const isRow = (row: unknown) =>
    Array.isArray(row) && row.length === length && row.every((value) => Number.isFinite(value))
  return Array.isArray(rows) && rows.every(isRow)
}
