import type { ChainReader, ReadPoint } from '../chainReader.ts'

// Tokens that pay their holders without a transfer pay the largest most: they are off first.
const askedMax = 20

/**
 * Has each of the largest holders what transfers add up to, by what the token itself says after the same block? Null: no node
 * tells, as of blocks whose states are gone.
 */
export async function areHoldersTrue(
  reader: Pick<ChainReader, 'readBalances'>,
  token: string,
  balances: ReadonlyMap<string, bigint>,
  at: ReadPoint,
): Promise<boolean | null> {
  const largest = [...balances]
    .filter(([, amount]) => amount > 0n)
    .sort(([, a], [, b]) => (a < b ? 1 : -1))
    .slice(0, askedMax)
  if (reader.readBalances === undefined || largest.length === 0) return null
  const asked = largest.map(([wallet]) => ({ token, wallet }))
  const told = await reader.readBalances(asked, at).catch(() => null)
  if (told === null || told.every((amount) => amount === null)) return null
  return largest.every(([, amount], i) => told[i] === null || told[i] === amount)
}
