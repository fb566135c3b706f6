/** The two parts of a token-id or pair-id `<address>-<chain>`. */
export type MarketId = { address: string; chain: string }

/** Splits at the last hyphen: an address may contain one. Null if a part is empty. */
export function parseId(text: string): MarketId | null {
  const at = text.lastIndexOf('-')
  if (at <= 0 || at === text.length - 1) return null
  return { address: text.slice(0, at), chain: text.slice(at + 1) }
}

export function formatId({ address, chain }: MarketId): string {
  return `${address}-${chain}`
}
